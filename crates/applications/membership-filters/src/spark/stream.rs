//! Spark's stream: a header of 12 or 16 bytes, then the words, all big-endian. `FORMAT.md` describes it.

use super::{BloomFilter, Keys, Version};
use crate::bits::Bits;
use crate::bits::{MAX_WORD_COUNT, WORD};
use crate::bloom::Bloom;
use crate::envelope::{CHECKSUM_LEN, HEADER_LEN, Reader, Writer};
use crate::error::{Error, ErrorKind};
use crate::stored::{foreign, invalid};

/// The header of Spark's stream: the bytes before the words.
///
/// ```
/// use membership_filters::spark::{BloomFilter, Parameters, StreamHeader, Version};
///
/// let filter = BloomFilter::new(&Parameters::new(100, 0.03)?)?;
/// let header = StreamHeader { version: Version::V2 { seed: 0 }, probe_count: 5, word_count: 12 };
/// assert_eq!(filter.stream_header(), header);
/// assert_eq!(StreamHeader::from_prefix(&filter.to_spark())?, header);
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamHeader {
    /// The version, with its seed.
    pub version: Version,
    /// The probe count.
    pub probe_count: u32,
    /// The number of words that follow.
    pub word_count: u32,
}

impl StreamHeader {
    /// The length of the longest header in bytes.
    pub const MAX_LEN: usize = 16;

    /// Decodes and checks the header at the start of a stream. [`StreamHeader::MAX_LEN`] bytes suffice.
    ///
    /// # Errors
    ///
    /// The errors of [`BloomFilter::from_spark`], except those of the words.
    pub fn from_prefix(mut stream: &[u8]) -> Result<Self, Error> {
        Self::read(&mut Reader::plain(&mut stream))
    }

    /// Returns the length in bytes of a stream with this header.
    pub const fn stream_len(self) -> u64 {
        self.version.header_len() as u64 + self.word_count as u64 * WORD as u64
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let mut number = || reader.array().map(u32::from_be_bytes);
        let number_of_version = number()?;
        if !(1..=2).contains(&number_of_version) {
            let (kind, thing) = (ErrorKind::UnsupportedVersion, "the version");
            let error = Error::new(kind, thing, "1 or 2", number_of_version);
            let further = reader.array::<2>().unwrap_or_default();
            let head = [&number_of_version.to_be_bytes()[..], &further].concat();
            return Err(error.with_form_of(&head, reader.len()));
        }
        let probe_count = number()?;
        let version = match number_of_version {
            1 => Version::V1,
            _ => Version::V2 {
                seed: number()?.cast_signed(),
            },
        };
        let word_count = number()?;
        if !(1..=MAX_WORD_COUNT).contains(&word_count) {
            let range = format_args!("between 1 and {MAX_WORD_COUNT}");
            return Err(invalid("the word count", range, word_count.cast_signed()));
        }
        // More probes than bits no filter has; a query would take as long as its header says.
        let most = u64::from(word_count) * 64;
        let most =
            u32::try_from(most).map_or(super::MAX_PROBE_COUNT, |most| most.min(super::MAX_PROBE_COUNT));
        if !(1..=most).contains(&probe_count) {
            let range = format_args!("between 1 and {most}");
            return Err(invalid("the probe count", range, probe_count.cast_signed()));
        }
        Ok(Self {
            version,
            probe_count,
            word_count,
        })
    }
}

impl BloomFilter {
    /// Returns the header of this filter's stream.
    pub fn stream_header(&self) -> StreamHeader {
        StreamHeader {
            version: self.version,
            probe_count: self.probe_count(),
            word_count: u32::try_from(self.words().len()).unwrap_or(MAX_WORD_COUNT),
        }
    }

    /// The seed is in the stream.
    pub(super) fn read(reader: &mut Reader<'_>, _: Keys) -> Result<Self, Error> {
        let header = StreamHeader::read(reader)?;
        let words = reader.words_by(header.word_count.into(), u64::from_be_bytes)?;
        let bloom = Bloom {
            bits: Bits::from_words(words)?,
            rule: header.version.rule(),
            probe_count: header.probe_count,
        };
        Ok(Self::of(bloom, header.version))
    }

    pub(super) fn form_len(&self) -> u64 {
        HEADER_LEN + self.stream_header().stream_len() + CHECKSUM_LEN
    }

    pub(super) fn put<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E> {
        let header = self.stream_header();
        let seed = match header.version {
            Version::V1 => None,
            Version::V2 { seed } => Some(seed.cast_unsigned()),
        };
        let fields = [Some(header.version.number()), Some(header.probe_count), seed];
        for field in fields.into_iter().chain([Some(header.word_count)]).flatten() {
            writer.bytes(&field.to_be_bytes())?;
        }
        writer.words_be(self.words())
    }
}

foreign!(
    [] BloomFilter, (), Keys::default(),
    "Spark's stream, the bytes of `writeTo`", to_spark, from_spark, write_spark, read_spark
);
