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
use alloc::vec::Vec;
use core::convert::Infallible;

use crate::backend::Backend;
#[cfg(feature = "std")]
use crate::contents::Stream;
use crate::contents::{FormOf, Put};
use crate::error::{Error, Violation};
use crate::filter::Filter;
use crate::hash::{HashId, Hashing};
use crate::stored::invalid;

pub use crate::contents::{Reader, Writer};

/// The version of the envelope and of every form in it.
const VERSION: u8 = 2;

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
    form_of: FormOf,
) -> Result<Filter<B, F, A>, Error> {
    let opened = std::fs::File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::NotFound(error.into()),
        _ => Error::Read(error.into()),
    });
    let read = opened.and_then(|file| {
        let mut source = Stream(std::io::BufReader::new(file));
        let mut reader = Reader::new(&mut source, Some(form_of));
        let filter = read(&mut reader, funnel)?;
        reader.end()?;
        Ok(filter)
    });
    read.map_err(|error| error.of_file(path))
}

/// Reads a filter from its envelope; trailing bytes are an error. No memory is allocated beyond their size.
pub(crate) fn from_bytes<B: Backend, F: Hashing, A>(
    mut bytes: &[u8],
    funnel: F,
    form_of: FormOf,
) -> Result<Filter<B, F, A>, Error> {
    let mut reader = Reader::new(&mut bytes, Some(form_of));
    let filter = read(&mut reader, funnel)?;
    reader.end()?;
    Ok(filter)
}

/// Reads an envelope and nothing after it. Memory is allocated as bytes arrive.
#[cfg(feature = "std")]
pub(crate) fn read_from<B: Backend, F: Hashing, A>(
    reader: impl std::io::Read,
    funnel: F,
    form_of: FormOf,
) -> Result<Filter<B, F, A>, Error> {
    read(&mut Reader::new(&mut Stream(reader), Some(form_of)), funnel)
}

/// Reads an envelope.
fn read<B: Backend, F: Hashing, A>(reader: &mut Reader<'_>, funnel: F) -> Result<Filter<B, F, A>, Error> {
    let magic = reader.array()?;
    if magic != B::MAGIC {
        let [range, got] = [B::MAGIC, magic].map(|magic| format!("\"{}\"", magic.escape_ascii()));
        let violation = Violation::new("the first eight bytes", range, got);
        return Err(Error::WrongFormat(reader.with_form(violation, &magic)));
    }
    let (stored, given) = (read_hash_id(reader)?, header_id::<B>(funnel.hash_id()));
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
    let backend = B::read(reader)?;
    reader.verify()?;
    let Some(seed) = backend.seed() else {
        return Ok(Filter::of(backend, funnel));
    };
    let funnel = funnel.with_seed(seed);
    Error::check_equal("seeds", &seed, &funnel.hash_id().seed())?;
    Ok(Filter::of(backend, funnel))
}

/// Reads the header after its first eight bytes.
fn read_hash_id(reader: &mut Reader<'_>) -> Result<HashId, Error> {
    let [version] = reader.array()?;
    if version != VERSION {
        let violation = Violation::new("the version", VERSION, version);
        return Err(Error::UnsupportedVersion(violation));
    }
    let bytes = reader.array()?;
    HashId::from_bytes(bytes).ok_or_else(|| {
        let (thing, range) = ("the hash of the filter's keys", "a known function and encoding");
        invalid(thing, range, format_args!("{bytes:?}"))
    })
}

/// Returns the hash of the keys of a stored filter from the header, the first [`HEADER_LEN`] bytes of its envelope. This is
/// for programs that learn from the file which funnel to read it with; [`HashId`] has an example.
///
/// # Errors
///
/// [`Error::Truncated`], [`Error::UnsupportedVersion`] or [`Error::InvalidField`].
pub fn hash_id(mut header: &[u8]) -> Result<HashId, Error> {
    let mut reader = Reader::new(&mut header, None);
    reader.array::<8>()?;
    read_hash_id(&mut reader)
}

/// Writes the envelope in pieces of up to 64 KiB.
///
/// An envelope that is written while other threads insert into a filter that is shared is whole: each word is read once, and
/// its bytes are both written and checksummed.
pub(crate) fn write<B: Backend, F: Hashing, A, E>(
    filter: &Filter<B, F, A>,
    put: &mut Put<'_, E>,
) -> Result<(), E> {
    let mut writer = Writer::new(put);
    writer.bytes(&B::MAGIC)?;
    writer.bytes(&[VERSION])?;
    writer.bytes(&header_id::<B>(filter.funnel.hash_id()).to_bytes())?;
    filter.backend.write(&mut writer)?;
    writer.end()
}

/// Returns what a header states of this hash: no seed if that is in the contents.
fn header_id<B: Backend>(id: HashId) -> HashId {
    B::HASH.map_or(id, |_| id.with_seed(0))
}

/// Writes what is in the envelope alone: the form of another program.
pub(crate) fn write_bare<B: Backend, E>(backend: &B, put: &mut Put<'_, E>) -> Result<(), E> {
    backend.write(&mut Writer::plain(put))
}

/// Returns the form of another program.
pub(crate) fn to_bare<B: Backend>(backend: &B) -> Vec<u8> {
    collected(backend.contents_len(), |put| write_bare(backend, put))
}

/// Reads the form of another program; trailing bytes are an error.
pub(crate) fn from_bare<B: Backend>(mut bytes: &[u8], form_of: FormOf) -> Result<B, Error> {
    let mut reader = Reader::plain(&mut bytes, Some(form_of));
    let backend = B::read(&mut reader)?;
    reader.end()?;
    Ok(backend)
}
