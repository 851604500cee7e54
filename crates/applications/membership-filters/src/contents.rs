//! Writers and readers of what is stored: numbers, words and a checksum, to any place and from any source.

use alloc::boxed::Box;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use hashzoo::Murmur3X64_128;

use crate::arch;
use crate::bits::{WORD, Word};
use crate::error::{Error, Violation};

/// The number of words converted, written or read at a time: 64 KiB.
const PIECE_WORDS: usize = 8192;

/// What takes the bytes.
pub(crate) type Put<'a, E> = dyn FnMut(&[u8]) -> Result<(), E> + 'a;

/// A writer for the contents of an envelope, in order.
pub struct Writer<'a, E> {
    put: &'a mut Put<'a, E>,
    /// `None` for the form of another program.
    checksum: Option<Murmur3X64_128>,
}

impl<'a, E> Writer<'a, E> {
    /// Returns a writer that ends with a checksum.
    pub(crate) fn new(put: &'a mut Put<'a, E>) -> Self {
        let checksum = Some(Murmur3X64_128::new(0));
        Self { put, checksum }
    }

    /// Returns a writer for the form of another program.
    pub(crate) fn plain(put: &'a mut Put<'a, E>) -> Self {
        let checksum = None;
        Self { put, checksum }
    }

    /// Writes the checksum, if there is one.
    pub(crate) fn end(self) -> Result<(), E> {
        let Some(checksum) = self.checksum else {
            return Ok(());
        };
        let (checksum, _) = checksum.finish();
        (self.put)(&checksum.to_le_bytes())
    }

    /// Writes bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), E> {
        if let Some(checksum) = &mut self.checksum {
            checksum.update(bytes);
        }
        (self.put)(bytes)
    }

    /// Writes a number, little-endian.
    pub(crate) fn u64(&mut self, value: u64) -> Result<(), E> {
        self.bytes(&value.to_le_bytes())
    }

    /// Writes numbers, little-endian.
    pub(crate) fn words(&mut self, words: &[u64]) -> Result<(), E> {
        encode_words(words, |word| word.to_le_bytes(), |bytes| self.bytes(bytes))
    }

    /// Writes numbers, big-endian.
    pub(crate) fn words_be<W: Word>(&mut self, words: &[W]) -> Result<(), E> {
        encode_words(
            words,
            |word| word.value().to_be_bytes(),
            |bytes| self.bytes(bytes),
        )
    }
}

impl<E> core::fmt::Debug for Writer<'_, E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

/// Encodes words of any kind and passes the bytes on in pieces.
fn encode_words<W, E>(
    words: &[W],
    encode: impl Fn(&W) -> [u8; WORD],
    mut put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut buffer = vec![0; words.len().min(PIECE_WORDS) * WORD];
    for piece in words.chunks(PIECE_WORDS) {
        let (places, _) = buffer.as_chunks_mut::<WORD>();
        for (place, word) in places.iter_mut().zip(piece) {
            *place = encode(word);
        }
        put(buffer.get(..piece.len() * WORD).unwrap_or_default())?;
    }
    Ok(())
}

/// A source of bytes.
pub(crate) trait ByteSource {
    /// Fills the buffer, unless the source ends first. Returns the number of bytes.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Error>;

    /// Returns the number of bytes left, if it is known.
    fn left(&self) -> Option<u64>;
}

impl ByteSource for &[u8] {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let (now, later) = self.split_at(self.len().min(buffer.len()));
        for (place, &byte) in buffer.iter_mut().zip(now) {
            *place = byte;
        }
        *self = later;
        Ok(now.len())
    }

    fn left(&self) -> Option<u64> {
        Some(self.len() as u64)
    }
}

/// A source of unknown length.
#[cfg(feature = "std")]
pub(crate) struct Stream<R>(pub(crate) R);

#[cfg(feature = "std")]
impl<R: std::io::Read> ByteSource for Stream<R> {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.0.read(rest) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::Read(error.into())),
            }
        }
        Ok(filled)
    }

    fn left(&self) -> Option<u64> {
        None
    }
}

/// Returns the name of the form of a filter of this length that begins with these bytes, if they tell it.
pub(crate) type FormOf = fn(&[u8], Option<u64>) -> Option<String>;

/// A reader for the contents of an envelope, in order.
pub struct Reader<'a> {
    source: &'a mut dyn ByteSource,
    /// Names bytes that are another filter, for the texts of errors.
    form_of: Option<FormOf>,
    /// The checksum of the bytes read, until it is verified; `None` for Guava's stream.
    checksum: Option<Murmur3X64_128>,
    taken: u64,
    /// Set while a part of the contents is read, which has no checksum.
    is_in_part: bool,
}

impl<'a> Reader<'a> {
    /// Returns a reader for bytes that end with a checksum.
    pub(crate) fn new(source: &'a mut dyn ByteSource, form_of: Option<FormOf>) -> Self {
        let checksum = Some(Murmur3X64_128::new(0));
        Self {
            checksum,
            ..Self::plain(source, form_of)
        }
    }

    /// Adds what the bytes that begin with these seem to be, if they tell it.
    pub(crate) fn with_form(&self, mut violation: Box<Violation>, head: &[u8]) -> Box<Violation> {
        if let Some(form) = self.form_of.and_then(|form_of| form_of(head, self.len())) {
            violation.given += ": these bytes seem to be ";
            violation.given += &form;
        }
        violation
    }

    /// Returns the number of all bytes, if it is known.
    fn len(&self) -> Option<u64> {
        Some(self.taken + self.source.left()?)
    }

    /// Returns a reader for a stream without header and checksum.
    pub(crate) fn plain(source: &'a mut dyn ByteSource, form_of: Option<FormOf>) -> Self {
        Self {
            source,
            form_of,
            checksum: None,
            taken: 0,
            is_in_part: false,
        }
    }

    /// Reads `N` bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Truncated`] if the bytes end too early, `Error::Read` if the underlying reader fails.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, u128::from(self.taken) + N as u128)?;
        Ok(bytes)
    }

    /// Reads a number, little-endian.
    pub(crate) fn u64(&mut self) -> Result<u64, Error> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads numbers, little-endian. Memory is allocated only as bytes arrive, at most twice what they need.
    pub(crate) fn words(&mut self, count: u64) -> Result<Vec<u64>, Error> {
        self.words_by(count, u64::from_le_bytes)
    }

    pub(crate) fn words_by(&mut self, count: u64, decode: fn([u8; WORD]) -> u64) -> Result<Vec<u64>, Error> {
        let bytes = u128::from(count) * WORD as u128;
        let needed = u128::from(self.taken) + bytes;
        if let Some(left) = self.source.left()
            && u128::from(left) < bytes
        {
            return Err(self.truncated(needed, left));
        }
        let count = usize::try_from(count)
            .ok()
            .filter(|_| isize::try_from(bytes).is_ok())
            .ok_or_else(|| {
                let range = format_args!("at most {} bytes", isize::MAX);
                Error::TooLarge(Violation::new("the filter", range, bytes))
            })?;
        let mut words = Vec::new();
        let mut buffer = Vec::new();
        while words.len() < count {
            // No more than have come, so that a claim takes no memory.
            let wanted = (count - words.len()).min(words.len().clamp(1, PIECE_WORDS));
            buffer.resize(wanted * WORD, 0);
            self.fill(&mut buffer, needed)?;
            if words.capacity() - words.len() < wanted {
                // Double the memory, up to the size of the filter.
                let more = (count - words.len()).min(words.len().max(wanted));
                Error::reserve(&mut words, more)?;
                arch::prefer_huge_pages(&mut words);
            }
            let (arrays, _) = buffer.as_chunks::<WORD>();
            words.extend(arrays.iter().map(|&bytes| decode(bytes)));
        }
        Ok(words)
    }

    /// Reads and verifies the checksum. [`Backend::read`](crate::backend::Backend::read) may call this before it trusts the contents;
    /// otherwise the checksum is verified afterwards.
    pub(crate) fn verify(&mut self) -> Result<(), Error> {
        if self.is_in_part {
            return Ok(());
        }
        let Some(checksum) = self.checksum.take() else {
            return Ok(());
        };
        let (computed, _) = checksum.finish();
        let stated = self.u64()?;
        if stated == computed {
            return Ok(());
        }
        let (range, got) = (format_args!("{computed:016x}"), format_args!("{stated:016x}"));
        Err(Error::ChecksumMismatch(Violation::new(
            "the checksum",
            range,
            got,
        )))
    }

    /// Reads a part of the contents: what another filter has between header and checksum.
    pub(crate) fn part<T>(&mut self, read: fn(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let was_in_part = core::mem::replace(&mut self.is_in_part, true);
        let part = read(self);
        self.is_in_part = was_in_part;
        part
    }

    /// Checks that nothing follows.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        let found = match self.source.left() {
            Some(0) => return Ok(()),
            Some(left) => (self.taken + left).to_string(),
            None if self.source.fill(&mut [0])? == 0 => return Ok(()),
            None => "more".into(),
        };
        let violation = Violation::new("the length in bytes", self.taken, found);
        Err(Error::TrailingBytes(violation))
    }

    /// Fills the buffer. `needed` is the number of bytes needed from the start, for the error.
    fn fill(&mut self, buffer: &mut [u8], needed: u128) -> Result<(), Error> {
        let found = self.source.fill(buffer)?;
        if found < buffer.len() {
            return Err(self.truncated(needed, found as u64));
        }
        self.taken += found as u64;
        if let Some(checksum) = &mut self.checksum {
            checksum.update(buffer);
        }
        Ok(())
    }

    fn truncated(&self, needed: u128, found: u64) -> Error {
        let range = format_args!("at least {needed}");
        let violation = Violation::new("the length in bytes", range, self.taken + found);
        Error::Truncated(violation)
    }
}

impl core::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let taken = &self.taken;
        f.debug_struct("Reader")
            .field("taken", taken)
            .finish_non_exhaustive()
    }
}
