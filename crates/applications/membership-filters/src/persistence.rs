//! The methods that write and read stored filters: in the envelope, and in the forms of other programs. They stand above
//! the list of kinds, which names bytes that are another filter.

use alloc::vec::Vec;

use crate::backend::Backend;
use crate::bits::Word;
use crate::bloom::Bloom;
use crate::envelope::{self, CHECKSUM_LEN, HEADER_LEN};
use crate::error::Error;
use crate::filter::Filter;
use crate::hash::{Hashing, Murmur3};
use crate::redisbloom::{Chain, RedisBytes};
use crate::spark::ItemBytes;
use crate::{guava, kinds, redisbloom, spark};

/// The stored form, with a checksum, as [`format`](crate::format) describes it.
impl<B: Backend, F: Hashing, A> Filter<B, F, A> {
    /// Returns the stored form.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        envelope::to_bytes(self)
    }

    /// Writes the stored form in pieces of up to 64 KiB. Does not flush. Needs the feature `std`.
    ///
    /// If other threads insert into the filter meanwhile, the form is whole: it holds every key whose insertion happened before
    /// the call, and all, some or none of the bits of the others.
    #[cfg(feature = "std")]
    pub fn write_to(&self, mut writer: impl std::io::Write) -> std::io::Result<()> {
        envelope::write(self, &mut |bytes: &[u8]| writer.write_all(bytes))
    }

    /// Writes the stored form to a file, which appears, or replaces another, when it is complete. Needs the feature
    /// `save`.
    ///
    /// # Errors
    ///
    /// [`Write`](crate::Error::Write), with the name of the file.
    #[cfg(feature = "save")]
    pub fn save(&self, path: impl AsRef<std::path::Path>) -> Result<(), Error> {
        let path = path.as_ref();
        whole_files::save(path, |file| self.write_to(file))
            .map_err(|error| Error::Write(error.into()).of_file(path))
    }

    /// Returns the length of the stored form in bytes.
    pub fn stored_len(&self) -> u64 {
        HEADER_LEN + self.backend.contents_len() + CHECKSUM_LEN
    }
}

/// Reading of the stored form, with the funnel that the filter was written with. Spark's filter and RedisBloom's have the same
/// methods without a funnel.
impl<B: Backend<Funnel = Option<D>>, D, F: Hashing, A> Filter<B, F, A> {
    /// Reads the filter from its stored form; trailing bytes are an error.
    ///
    /// # Errors
    ///
    /// [`WrongFormat`](crate::Error::WrongFormat) names the form that the bytes seem to have instead;
    /// [`Incompatible`](crate::Error::Incompatible) says that the filter was written with a funnel of another hash;
    /// [`Error`] otherwise names the fault in the bytes.
    pub fn from_bytes(bytes: &[u8], funnel: F) -> Result<Self, Error> {
        envelope::from_bytes(bytes, funnel, kinds::describe)
    }

    /// Reads the stored form and nothing after it. Fails as [`from_bytes`](Self::from_bytes) and the reader. The first fields
    /// are read one by one: wrap a file in a `BufReader`. Needs the feature `std`.
    #[cfg(feature = "std")]
    pub fn read_from(reader: impl std::io::Read, funnel: F) -> Result<Self, Error> {
        envelope::read_from(reader, funnel, kinds::describe)
    }

    /// Reads a file that holds the stored form. Needs the feature `std`.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::Error::NotFound) and the errors of [`from_bytes`](Self::from_bytes), with the name of the
    /// file.
    #[cfg(feature = "std")]
    pub fn open(path: impl AsRef<std::path::Path>, funnel: F) -> Result<Self, Error> {
        envelope::open(path.as_ref(), funnel, kinds::describe)
    }
}

/// Guava's stream.
impl<W: Word, F: Hashing<Function = Murmur3>, A> Filter<Bloom<guava::Strategy, W>, F, A> {
    /// Returns Guava's stream, the bytes of `writeTo`.
    #[must_use]
    pub fn to_guava(&self) -> Vec<u8> {
        envelope::to_bare(&self.backend)
    }

    /// Reads Guava's stream, the bytes of `writeTo`; trailing bytes are an error. Damaged bits go unnoticed, and so does another
    /// hash than the writer's: the form of [`to_bytes`](Self::to_bytes) has a checksum and names the hash.
    ///
    /// # Errors
    ///
    /// [`Error`] names the fault in the header, or the number of missing bytes. Bytes that begin like another form are named.
    pub fn from_guava(bytes: &[u8], funnel: F) -> Result<Self, Error> {
        envelope::from_bare(bytes, kinds::describe).map(|backend| Self::of(backend, funnel))
    }
}

/// Spark's filter.
impl spark::BloomFilter {
    /// Returns Spark's stream, the bytes of `writeTo`.
    #[must_use]
    pub fn to_spark(&self) -> Vec<u8> {
        envelope::to_bare(&self.backend)
    }

    /// Reads Spark's stream, the bytes of `writeTo`; trailing bytes are an error. Damaged bits go unnoticed: the form of
    /// [`to_bytes`](Self::to_bytes) has a checksum.
    ///
    /// # Errors
    ///
    /// [`Error`] names the fault in the header, or the number of missing bytes. Bytes that begin like another form are named.
    pub fn from_spark(bytes: &[u8]) -> Result<Self, Error> {
        envelope::from_bare(bytes, kinds::describe).map(Self::of_backend)
    }

    /// Reads the filter from its stored form; trailing bytes are an error.
    ///
    /// # Errors
    ///
    /// [`WrongFormat`](Error::WrongFormat) names the form that the bytes seem to have instead; [`Error`] otherwise names the
    /// fault in the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        envelope::from_bytes(bytes, ItemBytes::default(), kinds::describe)
    }

    /// Reads the stored form and nothing after it. Fails as [`from_bytes`](Self::from_bytes) and the reader. Needs the feature
    /// `std`.
    #[cfg(feature = "std")]
    pub fn read_from(reader: impl std::io::Read) -> Result<Self, Error> {
        envelope::read_from(reader, ItemBytes::default(), kinds::describe)
    }

    /// Reads a file that holds the stored form. Needs the feature `std`.
    ///
    /// # Errors
    ///
    /// [`NotFound`](Error::NotFound) and the errors of [`from_bytes`](Self::from_bytes), with the name of the file.
    #[cfg(feature = "std")]
    pub fn open(path: impl AsRef<std::path::Path>) -> Result<Self, Error> {
        envelope::open(path.as_ref(), ItemBytes::default(), kinds::describe)
    }
}

/// RedisBloom's filter.
impl redisbloom::BloomFilter {
    /// Reads a filter from its chunks in their order, as `BF.SCANDUMP` returns them; those may be divided in other places. Ends
    /// at a chunk of the iterator 0, which `BF.SCANDUMP` returns behind the last. All must be of one dump of a filter that is not
    /// replaced meanwhile: no chunk tells its filter, and bits of another one deny keys. Whatever the bytes claim, reading needs at most
    /// four times their memory, and some hundred bytes for the text of an error.
    ///
    /// # Errors
    ///
    /// [`Truncated`](crate::Error::Truncated) if chunks are missing at the end, [`TrailingBytes`](crate::Error::TrailingBytes)
    /// if there are too many, [`InvalidField`](crate::Error::InvalidField) for a chunk of another place and for a header that
    /// no server writes.
    pub fn from_chunks<'a>(chunks: impl IntoIterator<Item = (i64, &'a [u8])>) -> Result<Self, Error> {
        let chain = Chain::from_chunks(chunks.into_iter(), kinds::describe)?;
        Ok(Self::of(chain, RedisBytes))
    }

    /// Returns the bytes of all chunks, one after the other.
    #[must_use]
    pub fn to_redisbloom(&self) -> Vec<u8> {
        envelope::to_bare(&self.backend)
    }

    /// Reads the bytes of all chunks, one after the other; trailing bytes are an error. Damaged bits go unnoticed: the form of
    /// [`to_bytes`](Self::to_bytes) has a checksum.
    ///
    /// # Errors
    ///
    /// [`Error`] names the fault in the header, or the number of missing bytes. Bytes that begin like another form are named.
    pub fn from_redisbloom(bytes: &[u8]) -> Result<Self, Error> {
        envelope::from_bare(bytes, kinds::describe).map(|chain| Self::of(chain, RedisBytes))
    }

    /// Reads the filter from its stored form; trailing bytes are an error.
    ///
    /// # Errors
    ///
    /// [`WrongFormat`](crate::Error::WrongFormat) names the form that the bytes seem to have instead; [`Error`] otherwise
    /// names the fault in the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        envelope::from_bytes(bytes, RedisBytes, kinds::describe)
    }

    /// Reads the stored form and nothing after it. Fails as [`from_bytes`](Self::from_bytes) and the reader. Needs the feature
    /// `std`.
    #[cfg(feature = "std")]
    pub fn read_from(reader: impl std::io::Read) -> Result<Self, Error> {
        envelope::read_from(reader, RedisBytes, kinds::describe)
    }

    /// Reads a file that holds the stored form. Needs the feature `std`.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::Error::NotFound) and the errors of [`from_bytes`](Self::from_bytes), with the name of the file.
    #[cfg(feature = "std")]
    pub fn open(path: impl AsRef<std::path::Path>) -> Result<Self, Error> {
        envelope::open(path.as_ref(), RedisBytes, kinds::describe)
    }
}
