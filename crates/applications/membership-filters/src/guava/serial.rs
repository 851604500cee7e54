//! Guava's stream: a header of six bytes, then the words, all big-endian. `FORMAT.md` describes it.

use crate::envelope::{CHECKSUM_LEN, HEADER_LEN, Reader, Writer};
use crate::error::Error;
use crate::funnel::Hashing;
#[cfg(target_has_atomic = "64")]
use crate::guava::concurrent::ConcurrentBloomFilter;
use crate::guava::filter::BloomFilter;
use crate::guava::header::StreamHeader;
use crate::hash::Murmur3;
use crate::stored::foreign;

impl<F> BloomFilter<F> {
    pub(super) fn read(reader: &mut Reader<'_>, funnel: F) -> Result<Self, Error> {
        let head = reader.array()?;
        let header = StreamHeader::from_bytes(head);
        let (_, count) = header.validate().map_err(|error| match head {
            // Guava's, damaged.
            [0 | 1, 1..=u8::MAX, ..] => error,
            _ => error.with_form_of(&head, reader.len()),
        })?;
        let words = reader.words_by(count.into(), u64::from_be_bytes)?;
        Self::from_parts(funnel, header, words)
    }
}

macro_rules! streams {
    ($filter:ident) => {
        foreign!(
            [F: Hashing<Function = Murmur3>] $filter<F>, (funnel: F), funnel,
            "Guava's stream, the bytes of `writeTo`", to_guava, from_guava, write_guava, read_guava
        );

        impl<F> $filter<F> {
            pub(super) fn form_len(&self) -> u64 {
                HEADER_LEN + self.guava_len() + CHECKSUM_LEN
            }

            pub(super) fn put<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E> {
                writer.bytes(&self.stream_header().to_bytes())?;
                writer.words_be(self.bloom.bits.words())
            }
        }
    };
}

streams!(BloomFilter);
#[cfg(target_has_atomic = "64")]
streams!(ConcurrentBloomFilter);
