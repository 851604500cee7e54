//! The checksummed envelope: one stored form for every filter of this crate.
//!
//! The streams of Guava and Spark have no checksum, so damage in them goes unnoticed. The envelope puts a header of 16 bytes before a
//! filter and a checksum of 8 bytes after it. It is the form that `to_bytes` and `save` of every filter write. `from_bytes` and `open`
//! refuse bytes that were damaged, cut, or written by a later version. The checksum finds damage, not malice: anyone
//! can compute it. [`format`](crate::format) describes the bytes.
//!
//! ```
//! use membership_filters::{BlockedBloomFilter, Error, Xxph3};
//!
//! let mut seen = BlockedBloomFilter::with_capacity(1000, 0.01)?;
//! seen.insert("apple");
//! let mut bytes = seen.to_bytes();
//! assert_eq!(BlockedBloomFilter::from_bytes(&bytes, Xxph3)?, seen);
//!
//! bytes[500] ^= 1;
//! let error = BlockedBloomFilter::from_bytes(&bytes, Xxph3).unwrap_err();
//! assert!(matches!(error, Error::ChecksumMismatch(_)));
//! # Ok::<(), membership_filters::Error>(())
//! ```

use alloc::format;
use alloc::string::ToString as _;
use alloc::vec;
use alloc::vec::Vec;
use core::convert::Infallible;

use hashzoo::Murmur3X64_128;

use crate::arch;
use crate::backend::Backend;
use crate::bits::{WORD, Word};
use crate::error::{Error, Violation};
use crate::filter::Filter;
use crate::hash::{HashId, Hashing};
use crate::stored::invalid;

/// The version of the envelope and of every form in it.
const VERSION: u8 = 2;

/// The number of words converted, written or read at a time: 64 KiB.
pub(crate) const PIECE_WORDS: usize = 8192;

/// The length of the header in bytes.
pub const HEADER_LEN: u64 = HEADER as u64;

pub(crate) const HEADER: usize = 16;

/// The length of the checksum in bytes.
pub const CHECKSUM_LEN: u64 = 8;

/// Returns the envelope with the filter in it.
pub(crate) fn to_bytes<B: Backend, F: Hashing, A>(filter: &Filter<B, F, A>) -> Vec<u8> {
    collected(filter.stored_len(), |put| write(filter, put))
}

/// Returns what `write` puts, which has about this length.
fn collected(len: u64, write: impl FnOnce(&mut Put<'_, Infallible>) -> Result<(), Infallible>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    let Ok(()) = write(&mut |more| {
        bytes.extend_from_slice(more);
        Ok(())
    });
    bytes
}

/// Reads a file that holds an envelope and nothing else.
#[cfg(feature = "std")]
pub(crate) fn open<B: Backend, F: Hashing, A>(
    path: &std::path::Path,
    funnel: F,
) -> Result<Filter<B, F, A>, Error> {
    let opened = std::fs::File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::NotFound(error.into()),
        _ => Error::Read(error.into()),
    });
    let read = opened.and_then(|file| {
        let mut source = Stream(std::io::BufReader::new(file));
        let mut reader = Reader::new(&mut source);
        let filter = reader.filter(funnel)?;
        reader.end()?;
        Ok(filter)
    });
    read.map_err(|error| error.of_file(path))
}

/// Reads a filter from its envelope; trailing bytes are an error. No memory is allocated beyond their size.
pub(crate) fn from_bytes<B: Backend, F: Hashing, A>(
    mut bytes: &[u8],
    funnel: F,
) -> Result<Filter<B, F, A>, Error> {
    let mut reader = Reader::new(&mut bytes);
    let filter = reader.filter(funnel)?;
    reader.end()?;
    Ok(filter)
}

/// Reads an envelope and nothing after it. Memory is allocated as bytes arrive.
#[cfg(feature = "std")]
pub(crate) fn read_from<B: Backend, F: Hashing, A>(
    reader: impl std::io::Read,
    funnel: F,
) -> Result<Filter<B, F, A>, Error> {
    Reader::new(&mut Stream(reader)).filter(funnel)
}

/// Returns the hash of the keys of a stored filter from the header, the first [`HEADER_LEN`] bytes of its envelope. This is
/// for programs that learn from the file which funnel to read it with; [`HashId`] has an example.
///
/// # Errors
///
/// [`Error::Truncated`], [`Error::UnsupportedVersion`] or [`Error::InvalidField`].
pub fn hash_id(mut header: &[u8]) -> Result<HashId, Error> {
    let mut reader = Reader::new(&mut header);
    reader.array::<8>()?;
    reader.hash_id()
}

/// Writes the envelope in pieces of up to 64 KiB.
///
/// An envelope that is written while other threads insert into a filter that is shared is whole: each word is read once, and
/// its bytes are both written and checksummed.
pub(crate) fn write<B: Backend, F: Hashing, A, E>(
    filter: &Filter<B, F, A>,
    put: &mut Put<'_, E>,
) -> Result<(), E> {
    let checksum = Some(Murmur3X64_128::new(0));
    let mut writer = Writer { put, checksum };
    writer.bytes(&B::MAGIC)?;
    writer.bytes(&[VERSION])?;
    writer.bytes(&header_id::<B>(filter.funnel.hash_id()).to_bytes())?;
    filter.backend.write(&mut writer)?;
    let (checksum, _) = writer.checksum.unwrap_or(Murmur3X64_128::new(0)).finish();
    (writer.put)(&checksum.to_le_bytes())
}

/// Returns what a header states of this hash: no seed if that is in the contents.
fn header_id<B: Backend>(id: HashId) -> HashId {
    B::HASH.map_or(id, |_| id.with_seed(0))
}

/// Writes what is in the envelope alone: the form of another program.
pub(crate) fn write_bare<B: Backend, E>(backend: &B, put: &mut Put<'_, E>) -> Result<(), E> {
    let checksum = None;
    backend.write(&mut Writer { put, checksum })
}

/// Returns the form of another program.
pub(crate) fn to_bare<B: Backend>(backend: &B) -> Vec<u8> {
    collected(backend.contents_len(), |put| write_bare(backend, put))
}

/// Reads the form of another program; trailing bytes are an error.
pub(crate) fn from_bare<B: Backend>(mut bytes: &[u8]) -> Result<B, Error> {
    let mut reader = Reader::plain(&mut bytes);
    let backend = B::read(&mut reader)?;
    reader.end()?;
    Ok(backend)
}

/// What takes the bytes.
pub(crate) type Put<'a, E> = dyn FnMut(&[u8]) -> Result<(), E> + 'a;

/// A writer for the contents of an envelope, in order.
pub struct Writer<'a, E> {
    put: &'a mut Put<'a, E>,
    /// `None` for the form of another program.
    checksum: Option<Murmur3X64_128>,
}

impl<E> Writer<'_, E> {
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
struct Stream<R>(R);

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

/// A reader for the contents of an envelope, in order.
pub struct Reader<'a> {
    source: &'a mut dyn ByteSource,
    /// The checksum of the bytes read, until it is verified; `None` for Guava's stream.
    checksum: Option<Murmur3X64_128>,
    taken: u64,
    /// Set while a part of the contents is read, which has no checksum.
    is_in_part: bool,
}

impl<'a> Reader<'a> {
    fn new(source: &'a mut dyn ByteSource) -> Self {
        let checksum = Some(Murmur3X64_128::new(0));
        Self {
            checksum,
            ..Self::plain(source)
        }
    }

    /// Returns the number of all bytes, if it is known.
    pub(crate) fn len(&self) -> Option<u64> {
        Some(self.taken + self.source.left()?)
    }

    /// Returns a reader for a stream without header and checksum.
    pub(crate) fn plain(source: &'a mut dyn ByteSource) -> Self {
        Self {
            source,
            checksum: None,
            taken: 0,
            is_in_part: false,
        }
    }

    fn filter<B: Backend, F: Hashing, A>(&mut self, funnel: F) -> Result<Filter<B, F, A>, Error> {
        let magic = self.array()?;
        if magic != B::MAGIC {
            let [range, got] = [B::MAGIC, magic].map(|magic| format!("\"{}\"", magic.escape_ascii()));
            let violation = Violation::new("the first eight bytes", range, got);
            return Err(Error::WrongFormat(violation.with_form_of(&magic, self.len())));
        }
        let (stored, given) = (self.hash_id()?, header_id::<B>(funnel.hash_id()));
        let allowed = B::HASH.unwrap_or(given);
        for (thing, range, id) in [
            ("the funnel", format!("{allowed}"), given),
            (
                "the hash of the filter's keys",
                format!("the funnel's, {given}"),
                stored,
            ),
        ] {
            if id != allowed {
                return Err(Error::Incompatible(Violation::new(thing, range, id)));
            }
        }
        let backend = B::read(self)?;
        self.verify()?;
        let Some(seed) = backend.seed() else {
            return Ok(Filter::of(backend, funnel));
        };
        let funnel = funnel.with_seed(seed);
        Error::check_equal("seeds", &seed, &funnel.hash_id().seed())?;
        Ok(Filter::of(backend, funnel))
    }

    /// Reads the header after its first eight bytes.
    fn hash_id(&mut self) -> Result<HashId, Error> {
        let [version] = self.array()?;
        if version != VERSION {
            let violation = Violation::new("the version", VERSION, version);
            return Err(Error::UnsupportedVersion(violation));
        }
        let bytes = self.array()?;
        HashId::from_bytes(bytes).ok_or_else(|| {
            let (thing, range) = ("the hash of the filter's keys", "a known function and encoding");
            invalid(thing, range, format_args!("{bytes:?}"))
        })
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

    /// Reads and verifies the checksum. [`Backend::read`] may call this before it trusts the contents;
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
