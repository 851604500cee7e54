//! What the stored forms share: a header, little-endian numbers, a checksum at the end; and reading that believes nothing.
//!
//! Knows nothing of what is stored. The formats are in `FORMAT.md`.

use alloc::vec::Vec;
use core::convert::Infallible;

use hashzoo::Murmur3X64_128;

use crate::error::ReadError;

/// The function that hashes elements: MurmurHash3, x64, 128 bits.
const MURMUR3_X64_128: u8 = 1;

/// The seed of that function: Guava's.
const HASH_SEED: u32 = 0;

/// The version of all three formats.
const VERSION: u8 = 1;

/// Bytes that are moved at a time.
const CHUNK: usize = 4096;

/// Bytes of the common header.
pub(crate) const HEADER_LEN: u64 = 16;

/// Bytes of the checksum.
pub(crate) const CHECKSUM_LEN: u64 = 8;

/// Hands the bytes of a filter to a function, and sums them up.
pub(crate) struct Writer<P> {
    put: P,
    checksum: Murmur3X64_128,
}

impl<E, P: FnMut(&[u8]) -> Result<(), E>> Writer<P> {
    pub(crate) const fn new(put: P) -> Self {
        Self {
            put,
            checksum: Murmur3X64_128::new(0),
        }
    }

    pub(crate) fn header(&mut self, magic: [u8; 8]) -> Result<(), E> {
        self.bytes(&magic)?;
        self.bytes(&[VERSION, MURMUR3_X64_128, 0, 0])?;
        self.bytes(&HASH_SEED.to_le_bytes())
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), E> {
        self.checksum.update(bytes);
        (self.put)(bytes)
    }

    pub(crate) fn u64(&mut self, value: u64) -> Result<(), E> {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn words(&mut self, words: &[u64]) -> Result<(), E> {
        let mut chunk = [0; CHUNK];
        for words in words.chunks(CHUNK / 8) {
            for (place, word) in chunk.chunks_exact_mut(8).zip(words) {
                place.copy_from_slice(&word.to_le_bytes());
            }
            self.bytes(&chunk[..words.len() * 8])?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<(), E> {
        let (checksum, _) = self.checksum.finish();
        (self.put)(&checksum.to_le_bytes())
    }
}

/// What takes written bytes and cannot fail.
type Collector<'a> = dyn FnMut(&[u8]) -> Result<(), Infallible> + 'a;

/// The bytes that a filter writes, in one piece; so many are expected.
pub(crate) fn collect(len: u64, write: impl FnOnce(&mut Collector<'_>) -> Result<(), Infallible>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    let Ok(()) = write(&mut |more| {
        bytes.extend_from_slice(more);
        Ok(())
    });
    bytes
}

/// Where the bytes of a filter come from.
pub(crate) trait Source {
    /// Fills the buffer with the next bytes, or tells how many of them there were.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), Shortage>;

    /// How many bytes are left, where that is known.
    fn left(&self) -> Option<u64>;
}

/// Why a buffer could not be filled.
pub(crate) enum Shortage {
    /// So many bytes were there.
    End(usize),
    /// The reader failed.
    #[cfg(feature = "std")]
    Io(std::io::Error),
}

impl Source for &[u8] {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), Shortage> {
        let (bytes, rest) = self
            .split_at_checked(buffer.len())
            .ok_or(Shortage::End(self.len()))?;
        buffer.copy_from_slice(bytes);
        *self = rest;
        Ok(())
    }

    fn left(&self) -> Option<u64> {
        Some(self.len() as u64)
    }
}

/// Bytes from a stream of unknown length.
#[cfg(feature = "std")]
pub(crate) struct Stream<R>(pub(crate) R);

#[cfg(feature = "std")]
impl<R: std::io::Read> Source for Stream<R> {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), Shortage> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.0.read(&mut buffer[filled..]) {
                Ok(0) => return Err(Shortage::End(filled)),
                Ok(count) => filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Shortage::Io(error)),
            }
        }
        Ok(())
    }

    fn left(&self) -> Option<u64> {
        None
    }
}

/// Takes the bytes of a filter from a source, and sums them up.
pub(crate) struct Reader<S> {
    source: S,
    checksum: Murmur3X64_128,
    taken: u64,
}

impl<S: Source> Reader<S> {
    pub(crate) const fn new(source: S) -> Self {
        Self {
            source,
            checksum: Murmur3X64_128::new(0),
            taken: 0,
        }
    }

    /// The common header of a filter that starts with these bytes.
    pub(crate) fn header(&mut self, magic: [u8; 8]) -> Result<(), ReadError> {
        let found = self.array()?;
        if found != magic {
            return Err(ReadError::Magic {
                expected: magic,
                found,
            });
        }
        let [version, function, reserved @ ..] = self.array::<4>()?;
        if version != VERSION {
            return Err(ReadError::Version {
                supported: VERSION,
                found: version,
            });
        }
        if function != MURMUR3_X64_128 {
            return Err(field("hash function", function.into(), "1"));
        }
        zero(&reserved)?;
        let seed = u32::from_le_bytes(self.array()?);
        if seed != HASH_SEED {
            return Err(field("hash seed", seed.into(), "0"));
        }
        Ok(())
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        self.checksum.update(&bytes);
        Ok(bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, ReadError> {
        self.array().map(u64::from_le_bytes)
    }

    /// So many words. Memory is taken only as bytes arrive, at most twice as much as they need.
    pub(crate) fn words(&mut self, count: u64) -> Result<Vec<u64>, ReadError> {
        let bytes = u128::from(count) * 8;
        if let Some(left) = self.source.left()
            && u128::from(left) < bytes
        {
            return Err(self.truncated(bytes, left));
        }
        let count = usize::try_from(count)
            .ok()
            .filter(|_| isize::try_from(bytes).is_ok())
            .ok_or(ReadError::TooLarge { bytes })?;
        let mut words = Vec::new();
        let mut chunk = [0; CHUNK];
        while words.len() < count {
            if words.len() == words.capacity() {
                let more = (count - words.len()).min(words.len().max(CHUNK / 8));
                words
                    .try_reserve_exact(more)
                    .map_err(|_| ReadError::AllocationFailed {
                        bytes: (words.len() + more) as u64 * 8,
                    })?;
            }
            let next = (count - words.len())
                .min(CHUNK / 8)
                .min(words.capacity() - words.len());
            let chunk = &mut chunk[..next * 8];
            self.fill(chunk)?;
            self.checksum.update(chunk);
            let (arrays, _) = chunk.as_chunks::<8>();
            words.extend(arrays.iter().map(|&bytes| u64::from_le_bytes(bytes)));
        }
        Ok(words)
    }

    /// Reads and compares the checksum. Nothing may follow where the length is known: the caller gave these bytes as a
    /// filter. A stream may go on.
    pub(crate) fn finish(mut self) -> Result<(), ReadError> {
        let (computed, _) = self.checksum.finish();
        let mut stated = [0; 8];
        self.fill(&mut stated)?;
        let stated = u64::from_le_bytes(stated);
        if stated != computed {
            return Err(ReadError::Checksum { stated, computed });
        }
        match self.source.left() {
            None | Some(0) => Ok(()),
            Some(left) => Err(ReadError::Trailing {
                filter: self.taken,
                found: self.taken + left,
            }),
        }
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), ReadError> {
        match self.source.fill(buffer) {
            Ok(()) => {
                self.taken += buffer.len() as u64;
                Ok(())
            }
            Err(Shortage::End(there)) => Err(self.truncated(buffer.len() as u128, there as u64)),
            #[cfg(feature = "std")]
            Err(Shortage::Io(error)) => Err(ReadError::Io(error)),
        }
    }

    fn truncated(&self, wanted: u128, there: u64) -> ReadError {
        ReadError::Truncated {
            needed: u128::from(self.taken) + wanted,
            found: self.taken + there,
        }
    }
}

/// Bytes without a meaning yet, which a later version may give them.
pub(crate) fn zero(reserved: &[u8]) -> Result<(), ReadError> {
    match reserved.iter().find(|&&byte| byte != 0) {
        None => Ok(()),
        Some(&byte) => Err(field("a reserved byte", byte.into(), "0")),
    }
}

pub(crate) fn field(name: &'static str, found: u64, allowed: &'static str) -> ReadError {
    ReadError::Field { name, found, allowed }
}

pub(crate) fn real(name: &'static str, found: f64, allowed: &'static str) -> ReadError {
    ReadError::Real { name, found, allowed }
}

/// Compares what a field states with what the contents allow.
pub(crate) fn within(name: &'static str, stated: u64, least: u64, most: u64) -> Result<(), ReadError> {
    if (least..=most).contains(&stated) {
        return Ok(());
    }
    Err(ReadError::Contradiction {
        name,
        stated,
        least,
        most,
    })
}

/// The methods around the stored form of a filter that has `stored_bytes`, `write` and `read`.
macro_rules! stored_form {
    ($filter:ident) => {
        impl<F> $filter<F> {
            /// The stored form, as [`format`](crate::format) tells it, in one piece of [`stored_bytes`](Self::stored_bytes).
            pub fn to_bytes(&self) -> alloc::vec::Vec<u8> {
                $crate::serial::collect(self.stored_bytes(), |put| self.write(put))
            }

            /// The filter from its stored form. All of the bytes must belong to it.
            ///
            /// # Errors
            ///
            /// [`ReadError`] tells what is wrong with the bytes.
            pub fn from_bytes(bytes: &[u8], funnel: F) -> Result<Self, ReadError> {
                Self::read(bytes, funnel)
            }

            /// Writes the stored form, as [`format`](crate::format) tells it, piece by piece.
            ///
            /// # Errors
            ///
            /// Those of the writer.
            #[cfg(feature = "std")]
            pub fn write_to<W: std::io::Write>(&self, mut writer: W) -> std::io::Result<()> {
                self.write(|bytes| writer.write_all(bytes))
            }

            /// Reads the stored form, and nothing behind it. The first fields are read one by one: wrap a file in a `BufReader`.
            ///
            /// # Errors
            ///
            /// [`ReadError`] tells what is wrong with the bytes, or what the reader failed with.
            #[cfg(feature = "std")]
            pub fn read_from<R: std::io::Read>(reader: R, funnel: F) -> Result<Self, ReadError> {
                Self::read($crate::serial::Stream(reader), funnel)
            }
        }
    };
}
pub(crate) use stored_form;
