//! Spark's stream: a header of 12 or 16 bytes, then the words, all big-endian. `FORMAT.md` describes it.

use super::{ItemBytes, Parameters, Version};
use crate::bits::{MAX_WORD_COUNT, WORD};
use crate::bloom::{Bloom, Variety};
use crate::contents::{Reader, Writer};
use crate::error::{Error, Violation};
use crate::hash::{Encoding, Function, HashId};
use crate::kinds::kind::{Kind, Stream};
use crate::steps::Rule;
use crate::stored::invalid;

/// The header of Spark's stream: the bytes before the words.
#[derive(Clone, Copy)]
struct StreamHeader {
    version: Version,
    probe_count: u32,
    /// The number of words that follow.
    word_count: u32,
}

impl StreamHeader {
    /// Decodes and checks the header at the start of a stream, which has at most 16 bytes.
    fn from_prefix(mut stream: &[u8]) -> Result<Self, Error> {
        Self::read(&mut Reader::plain(&mut stream, None))
    }

    /// Returns the length in bytes of a stream with this header.
    const fn stream_len(self) -> u64 {
        self.version.header_len() as u64 + self.word_count as u64 * WORD as u64
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let mut number = || reader.array().map(u32::from_be_bytes);
        let number_of_version = number()?;
        if !(1..=2).contains(&number_of_version) {
            let violation = Violation::new("the version", "1 or 2", number_of_version);
            let further = reader.array::<2>().unwrap_or_default();
            let head = [&number_of_version.to_be_bytes()[..], &further].concat();
            return Err(Error::UnsupportedVersion(reader.with_form(violation, &head)));
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

/// Version 1 of the stream.
pub(crate) const STREAM_1: Kind<Bloom<Version>> = Kind {
    stream: Some(Stream {
        text: STREAM,
        may_begin: |head, _| head.starts_with(&[0, 0, 0, 1]),
        recognise: |head, len, is_envelope| recognise(1, head, len, is_envelope),
    }),
    widens_integers: true,
    of: |parameters, _| parameters.version(Version::V1),
    ..Kind::enveloped(&["spark-v1"])
};

/// Version 2 of the stream.
pub(crate) const STREAM_2: Kind<Bloom<Version>> = Kind {
    stream: Some(Stream {
        text: STREAM,
        may_begin: |head, _| head.starts_with(&[0, 0, 0, 2]),
        recognise: |head, len, is_envelope| recognise(2, head, len, is_envelope),
    }),
    has_seed: true,
    widens_integers: true,
    of: |parameters, seed| parameters.version(Version::V2 { seed }),
    ..Kind::enveloped(&["spark-v2", "spark"])
};

const STREAM: &str = "Spark's stream, which `spark::BloomFilter::from_spark` reads";

/// Recognises a stream of this version by its header, so that one that was cut is known, too.
fn recognise(version: u32, head: &[u8], len: u64, is_envelope: bool) -> Option<(i32, bool)> {
    let header = StreamHeader::from_prefix(head).ok()?;
    let is_whole = is_envelope || header.stream_len() == len;
    (header.version.number() == version).then_some((header.version.seed(), is_whole))
}

impl Variety for Version {
    const NAMES: [&'static str; 2] = ["spark::BloomFilter"; 2];

    const MAGIC: [u8; 8] = *b"MFsparks";

    const VARIETIES: &'static str = "versions";

    /// The seed is in the contents.
    const HASH: Option<HashId> = Some(HashId::new(Function::Spark { seed: 0 }, Encoding::BYTES));

    type Funnel = ItemBytes;

    type Parameters = Parameters;

    fn sized(capacity: u64, rate: f64) -> Result<Parameters, Error> {
        Parameters::new(capacity, rate)
    }

    fn sized_by_bits(capacity: u64, bits: u64) -> Result<Option<Parameters>, Error> {
        Parameters::with_bits(capacity, bits).map(Some)
    }

    fn shape(parameters: &Parameters) -> (Self, usize, u32) {
        (
            parameters.version,
            parameters.word_count(),
            parameters.probe_count(),
        )
    }

    #[inline]
    fn rule(self) -> Rule {
        match self {
            Self::V1 => Rule::Mitz32,
            Self::V2 { .. } => Rule::Spark,
        }
    }

    fn seed(self) -> Option<i32> {
        Some(Self::seed(self))
    }

    fn header_len(self) -> usize {
        Self::header_len(self)
    }

    fn write<W, E>(self, probe_count: u32, words: &[W], writer: &mut Writer<'_, E>) -> Result<(), E> {
        let seed = match self {
            Self::V1 => None,
            Self::V2 { seed } => Some(seed.cast_unsigned()),
        };
        let words = u32::try_from(words.len()).unwrap_or(MAX_WORD_COUNT);
        let fields = [Some(self.number()), Some(probe_count), seed, Some(words)];
        let mut fields = fields.into_iter().flatten();
        fields.try_for_each(|field| writer.bytes(&field.to_be_bytes()))
    }

    fn read(reader: &mut Reader<'_>) -> Result<(Self, u64, u32), Error> {
        let header = StreamHeader::read(reader)?;
        Ok((header.version, header.word_count.into(), header.probe_count))
    }
}
