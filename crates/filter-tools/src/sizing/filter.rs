//! The filters of this project, each sized by the code that writes it.

use filter_formats::sizing::{Format, Textbook};
use filter_policy::BitsPerKey;
use membership_filters::{CounterWidth, CountingBloomFilter, CuckooParameters, GrowingParameters};
use membership_filters::{Parameters, ProbeCountRule};
use serde::{Serialize, Serializer};

/// A kind of filter, with its stored format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Filter {
    /// No format: independent probes, unrounded sizes, and the best integer k or the given one.
    Textbook,
    /// LevelDB's format, which `BloomFilterPolicy` writes under each of its names.
    LevelDb,
    /// `BloomFilter64Policy`.
    BloomFilter64,
    /// RocksDB's FastLocalBloom.
    FastLocalBloom,
    /// RocksDB's Ribbon.
    Ribbon,
    /// `BinaryFusePolicy`, Pebble's filter.
    BinaryFuse,
    /// `SplitBlockBloomPolicy`, Parquet's filter.
    SplitBlock,
    /// Guava's stream.
    Guava,
    /// The fixed design in Redis.
    RedisFixed,
    /// A bitmap of the growing or the split design in Redis.
    RedisGrowing,
    /// The counting filter with four bits per counter.
    Counting,
    /// The cuckoo filter.
    Cuckoo,
    /// The growing filter before it grows.
    Growing,
}

impl Serialize for Filter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The filter that answers a question.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Answer {
    /// The kind of filter.
    pub filter: Filter,
    /// The number of distinct keys.
    pub keys: u64,
    /// The size of the stored filter in bytes, exact except for the textbook's.
    pub bytes: u64,
    /// The bits per key to configure, if the filter is configured by them.
    #[serde(rename = "configured_bits_per_key")]
    pub configured: Option<f64>,
    /// The stored bits per key, including all overhead.
    #[serde(rename = "stored_bits_per_key")]
    pub bits_per_key: f64,
    /// The probe count k, if there are probes.
    pub probes: Option<u32>,
    /// The expected false-positive rate.
    pub rate: f64,
}

/// The size of a filter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// The exact size of the stored filter in bytes.
    pub bytes: u64,
    /// The probe count k, if there are probes.
    pub probes: Option<u32>,
    /// The expected false-positive rate.
    pub rate: f64,
}

/// The largest bitmap of the fixed design, in bits: the published program counts them in an `int`.
const FIXED_MOST_BITS: u64 = i32::MAX as u64;
/// The largest string of Redis, in bits.
const STRING_MOST_BITS: u64 = 1 << 32;

impl Filter {
    /// All kinds, the textbook first.
    pub const ALL: [Self; 13] = [
        Self::Textbook,
        Self::LevelDb,
        Self::BloomFilter64,
        Self::FastLocalBloom,
        Self::Ribbon,
        Self::BinaryFuse,
        Self::SplitBlock,
        Self::Guava,
        Self::RedisFixed,
        Self::RedisGrowing,
        Self::Counting,
        Self::Cuckoo,
        Self::Growing,
    ];

    /// Returns the name on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Textbook => "textbook",
            Self::LevelDb => "leveldb",
            Self::BloomFilter64 => "bloom64",
            Self::FastLocalBloom => "fast-local-bloom",
            Self::Ribbon => "ribbon",
            Self::BinaryFuse => "binary-fuse",
            Self::SplitBlock => "split-block",
            Self::Guava => "guava",
            Self::RedisFixed => "redis-fixed",
            Self::RedisGrowing => "redis-growing",
            Self::Counting => "counting",
            Self::Cuckoo => "cuckoo",
            Self::Growing => "growing",
        }
    }

    /// Returns the filter with this name, ignoring ASCII case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|filter| filter.name().eq_ignore_ascii_case(name))
    }

    /// Returns the share of absent keys that have the whole hash of some key, for a format whose hash is so narrow that
    /// this matters: no number of bits per key excludes those keys. The share is part of the rate.
    ///
    /// ```
    /// use filter_tools::sizing::Filter;
    ///
    /// // LevelDB's policies hash to 32 bits: ten million of 2^32 values are in use.
    /// assert!((Filter::LevelDb.whole_hash_shared(10_000_000).unwrap() - 0.002_326).abs() < 1e-6);
    /// assert_eq!(Filter::BloomFilter64.whole_hash_shared(10_000_000), None);
    /// ```
    pub fn whole_hash_shared(self, keys: u64) -> Option<f64> {
        let values = libm::ldexp(1.0, 32);
        (self == Self::LevelDb).then(|| -libm::expm1(keys as f64 * libm::log1p(-1.0 / values)))
    }

    /// Returns the storage engine's format if the filter is configured by bits per key instead of the false-positive
    /// rate.
    pub(crate) fn engine(self) -> Option<Format> {
        match self {
            Self::LevelDb => Some(Format::LEVEL_DB),
            Self::BloomFilter64 => Some(Format::BLOOM64),
            Self::FastLocalBloom => Some(Format::FAST_LOCAL_BLOOM),
            Self::Ribbon => Some(Format::RIBBON),
            Self::BinaryFuse => Some(Format::BINARY_FUSE),
            Self::SplitBlock => Some(Format::SPLIT_BLOCK),
            _ => None,
        }
    }

    /// Returns the size of the filter for this many keys. `setting` is the bits per key for engines, otherwise the
    /// rate.
    pub(super) fn shape(self, keys: u64, setting: f64) -> Result<Shape, String> {
        if let Some(format) = self.engine() {
            let bits_per_key = BitsPerKey::fractional(setting).map_err(words)?;
            let bytes = format.filter_bytes(keys, bits_per_key).map_err(words)?;
            return Ok(Shape {
                bytes,
                probes: format
                    .probe_count(keys, bits_per_key)
                    .map_err(words)?
                    .map(u32::from),
                rate: format.rate(keys, bits_per_key).map_err(words)?,
            });
        }
        let plain = |parameters: &Parameters, bits: u64, bytes: u64| {
            let probes = u32::from(parameters.probe_count());
            Ok(Shape {
                bytes,
                probes: Some(probes),
                rate: Textbook::with_probe_count(probes)
                    .rate(bits, keys)
                    .map_err(words)?,
            })
        };
        let redis = |most: u64, bits: fn(&Parameters) -> u64| {
            let rule = ProbeCountRule::FromBitsPerInsertion;
            let parameters = Parameters::with_rule(keys, setting, rule).map_err(words)?;
            let bits = bits(&parameters);
            if bits > most {
                return Err(format!("the bitmap must have at most {most} bits, got {bits}"));
            }
            plain(&parameters, bits, bits.div_ceil(8))
        };
        match self {
            Self::RedisFixed => redis(FIXED_MOST_BITS, Parameters::optimal_bits),
            Self::RedisGrowing => redis(STRING_MOST_BITS, Parameters::bits),
            Self::Counting => {
                let parameters = Parameters::new(keys, setting).map_err(words)?;
                let bytes =
                    CountingBloomFilter::stored_len_of(&parameters, CounterWidth::FOUR).map_err(words)?;
                plain(&parameters, parameters.bits(), bytes)
            }
            Self::Cuckoo => {
                let parameters = CuckooParameters::new(keys, setting).map_err(words)?;
                Ok(Shape {
                    bytes: parameters.stored_len(),
                    probes: None,
                    rate: parameters.false_positive_rate_at(keys),
                })
            }
            Self::Growing => {
                let growing = GrowingParameters::new(keys, setting).map_err(words)?;
                let link = growing.first_link();
                plain(link, link.bits(), growing.stored_len())
            }
            _ => {
                let parameters = Parameters::new(keys, setting).map_err(words)?;
                plain(&parameters, parameters.bits(), parameters.stream_len())
            }
        }
    }
}

pub(super) fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}
