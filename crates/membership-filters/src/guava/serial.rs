//! Guava's stream: a header of six bytes, then the words, all big-endian. `FORMAT.md` describes it.

use alloc::vec::Vec;

use crate::bits::Word;
use crate::envelope::{CHECKSUM_LEN, HEADER_LEN, Reader, Writer, collected, encode_words};
use crate::error::Error;
use crate::funnel::Hashing;
#[cfg(target_has_atomic = "64")]
use crate::guava::concurrent::ConcurrentBloomFilter;
use crate::guava::filter::BloomFilter;
use crate::guava::header::StreamHeader;
use crate::hash::Murmur3;

impl<F> BloomFilter<F> {
    pub(super) fn read(reader: &mut Reader<'_>, funnel: F) -> Result<Self, Error> {
        let head = reader.array()?;
        let header = StreamHeader::from_bytes(head);
        let (_, count) = header.validate().map_err(|error| match head {
            // Guava's, damaged.
            [0 | 1, 1..=u8::MAX, ..] => error,
            _ => error.with_form_of(&head),
        })?;
        let words = reader.words_by(count.into(), u64::from_be_bytes)?;
        Self::from_parts(funnel, header, words)
    }
}

fn write<W: Word, E>(
    header: StreamHeader,
    words: &[W],
    mut put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    put(&header.to_bytes())?;
    encode_words(words, |word| word.value().to_be_bytes(), put)
}

macro_rules! streams {
    ($filter:ident) => {
        impl<F: Hashing<Function = Murmur3>> $filter<F> {
            /// Returns Guava's stream: the bytes that `writeTo` writes.
            ///
            /// ```
            /// use membership_filters::Utf8;
            /// use membership_filters::guava::{BloomFilter, Parameters};
            ///
            /// let mut filter = BloomFilter::new(Utf8, &Parameters::new(1, 0.01)?)?;
            /// filter.insert("key0");
            /// let bytes = filter.to_guava();
            /// assert_eq!(bytes, b"\x01\x07\0\0\0\x01\0\0\0\0\0\x15\x55\0");
            /// assert_eq!(BloomFilter::from_guava(&bytes, Utf8)?, filter);
            /// # Ok::<(), membership_filters::Error>(())
            /// ```
            #[must_use]
            pub fn to_guava(&self) -> Vec<u8> {
                let words = self.bloom.bits.words();
                collected(self.stream_len(), |put| {
                    write(self.stream_header(), words, put)
                })
            }

            /// Reads a filter from Guava's stream; trailing bytes are an error. Damaged bits go unnoticed, and
            /// so does a funnel that is not the writer's: the form of [`to_bytes`](Self::to_bytes) has a checksum and names the
            /// funnel's hash.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::InvalidField`](crate::ErrorKind::InvalidField),
            /// [`Truncated`](crate::ErrorKind::Truncated) or [`TrailingBytes`](crate::ErrorKind::TrailingBytes).
            pub fn from_guava(mut bytes: &[u8], funnel: F) -> Result<Self, Error> {
                let mut reader = Reader::plain(&mut bytes);
                let filter = BloomFilter::read(&mut reader, funnel)?;
                reader.end()?;
                Ok(filter.into())
            }

            /// Writes Guava's stream in pieces of 64 KiB, without a copy of the filter. Does not flush. Needs the
            /// feature `std`.
            ///
            /// The stream holds all, some or none of the bits of keys that other threads insert meanwhile.
            ///
            /// # Errors
            ///
            /// The errors of the writer.
            #[cfg(feature = "std")]
            pub fn write_guava(&self, mut writer: impl std::io::Write) -> std::io::Result<()> {
                write(self.stream_header(), self.bloom.bits.words(), |bytes| {
                    writer.write_all(bytes)
                })
            }

            /// Reads exactly the bytes of Guava's stream, as `readFrom` does; later bytes stay in the reader. The
            /// reader need not be buffered: it is read in pieces of up to 64 KiB. Needs the feature `std`.
            ///
            /// Memory is allocated as bytes arrive: at most a buffer of 64 KiB and three times the bytes read, whatever
            /// the stream claims.
            ///
            /// # Errors
            ///
            /// [`Error`] names the fault in the header, the number of missing bytes, or the error of the reader.
            #[cfg(feature = "std")]
            pub fn read_guava(reader: impl std::io::Read, funnel: F) -> Result<Self, Error> {
                let mut stream = crate::envelope::Stream(reader);
                BloomFilter::read(&mut Reader::plain(&mut stream), funnel).map(Into::into)
            }
        }

        impl<F> $filter<F> {
            pub(super) fn form_len(&self) -> u64 {
                HEADER_LEN + self.stream_len() + CHECKSUM_LEN
            }

            pub(super) fn put<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E> {
                write(self.stream_header(), self.bloom.bits.words(), |bytes| {
                    writer.bytes(bytes)
                })
            }
        }
    };
}

streams!(BloomFilter);
#[cfg(target_has_atomic = "64")]
streams!(ConcurrentBloomFilter);
