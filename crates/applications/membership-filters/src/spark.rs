//! Spark's Bloom filter, `org.apache.spark.util.sketch.BloomFilter`, byte for byte, so that a Rust program and a Spark
//! job can share a filter.
//!
//! It has the bits of Guava's filter and its rule for the size, but another hash, other positions and another header.
//! Spark's filters do not name what they hold: a key is an integer, a string or bytes, and any filter takes all
//! three. [`format`](crate::format) describes the bytes.
//!
//! ```
//! use membership_filters::spark::BloomFilter;
//!
//! // BloomFilter.create(1000, 0.01)
//! let mut seen = BloomFilter::with_capacity(1000, 0.01)?;
//! assert!(seen.insert(&42_i64)); // putLong(42): bits changed, so it was certainly absent
//! assert!(seen.insert("apple")); // putString("apple")
//! assert!(seen.contains(&42_i64)); // mightContainLong(42)
//! assert!(!seen.contains("banana"));
//!
//! // The bytes of writeTo, which readFrom reads.
//! let stream = seen.to_spark();
//! assert_eq!(BloomFilter::from_spark(&stream)?, seen);
//!
//! // Filters of equal sizes, probe counts and versions become one: mergeInPlace.
//! let mut other = BloomFilter::with_capacity(1000, 0.01)?;
//! other.insert("cherry");
//! seen.merge(&other)?;
//! assert!(seen.contains("cherry"));
//! # Ok::<(), membership_filters::Error>(())
//! ```
//!
//! A runtime join, `bloom_filter_agg(xxhash64(column))`, inserts no value of the column but its hash as a `long`: query that number,
//! XXH64 with the seed 42 of the value as Spark's expression `xxhash64` hashes it.
//!
//! # The caps of Spark's data frames
//!
//! `BloomFilter.create` makes filters of any size. The filters of `df.stat.bloomFilter` and of runtime joins are cut to
//! 4,000,000 keys and to 67,108,864 bits, each by itself. A filter for 20 million keys at 1 % then has the probe
//! count for 4 million, 12, and about 71 % false positives once it is full; 2 probes in the same memory would give 20 %.
//! [`Parameters::of_data_frame`] returns these sizes, and [`BloomFilter::expected_rate`] the rate of a filter.

mod item;
mod parameters;
mod stream;

use crate::backend::Backend as _;
use crate::bloom::Bloom;
use crate::error::Error;
use crate::filter::Filter;

pub use item::ItemBytes;
use parameters::MAX_PROBE_COUNT;
pub use parameters::{MAX_DATA_FRAME_BITS, MAX_DATA_FRAME_ITEMS, Parameters};
pub(crate) use stream::{STREAM_1, STREAM_2};

/// The version of a filter: its positions and its stream. Filters of different versions cannot be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Version {
    /// Version 1, the only one before Spark 4.1. Its positions reach only the first 2^31 bits of a filter.
    V1,
    /// Version 2, the default since Spark 4.1.
    V2 {
        /// The seed of the hash; Spark's default is 0.
        seed: i32,
    },
}

impl Version {
    /// Returns the number that the stream begins with.
    pub(crate) const fn number(self) -> u32 {
        match self {
            Self::V1 => 1,
            Self::V2 { .. } => 2,
        }
    }

    /// Returns the length in bytes of the header of a stream: 12 or 16.
    pub(crate) const fn header_len(self) -> usize {
        match self {
            Self::V1 => 12,
            Self::V2 { .. } => 16,
        }
    }

    /// Returns the seed of the hash: 0 in version 1.
    pub const fn seed(self) -> i32 {
        match self {
            Self::V1 => 0,
            Self::V2 { seed } => seed,
        }
    }

    /// Returns the funnel of the version's filters.
    #[must_use]
    pub(crate) const fn funnel(self) -> ItemBytes {
        let seed = self.seed();
        ItemBytes { seed }
    }
}

impl Default for Version {
    /// Returns version 2 with the seed 0, as Spark's `BloomFilter.create`.
    fn default() -> Self {
        Self::V2 { seed: 0 }
    }
}

/// Spark's `BloomFilter`: a compact set that never misses an inserted key, but may seem to contain an absent one.
///
/// Take it where a Spark job writes the filter or reads it. Calls with equal parameters set the bits that Spark sets.
///
/// ```
/// use membership_filters::spark::BloomFilter;
///
/// let mut seen = BloomFilter::with_capacity(1000, 0.01)?;
/// seen.insert("apple");
/// assert_eq!(BloomFilter::from_spark(&seen.to_spark())?, seen);
/// # Ok::<(), membership_filters::Error>(())
/// ```
pub type BloomFilter = Filter<Bloom<Version>, ItemBytes>;

impl BloomFilter {
    /// Creates an empty filter.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`](crate::Error::OutOfMemory) when the allocator refuses the memory.
    pub fn new(parameters: &Parameters) -> Result<Self, Error> {
        Bloom::new(parameters).map(Self::of_backend)
    }

    /// Creates an empty filter for this many keys at this false-positive rate: [`new`](Self::new) with [`Parameters::new`].
    pub fn with_capacity(capacity: u64, rate: f64) -> Result<Self, Error> {
        Self::new(&Parameters::new(capacity, rate)?)
    }

    pub(crate) const fn of_backend(bloom: Bloom<Version>) -> Self {
        let funnel = bloom.variety.funnel();
        Self::of(bloom, funnel)
    }

    /// Keeps the keys that are in both filters, and others that both seem to contain: Spark's `intersectInPlace`. The rate is
    /// at most that of each filter, but may be above that of a filter into which the common keys alone were inserted. Fails as
    /// [`check_compatible`](Self::check_compatible), unchanged.
    pub fn intersect(&mut self, other: &Self) -> Result<(), Error> {
        self.check_compatible(other)?;
        self.backend.bits.keep(&other.backend.bits);
        Ok(())
    }

    /// Returns the version.
    pub const fn version(&self) -> Version {
        self.backend.variety
    }
}
