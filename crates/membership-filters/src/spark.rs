//! Spark's Bloom filter, `org.apache.spark.util.sketch.BloomFilter`, byte for byte, so that a Rust program and a Spark
//! job can share a filter.
//!
//! It has the bits of Guava's filter and its rule for the size, but another hash, other positions and another header.
//! Spark's filters do not name what they hold: a key is an integer, a string or bytes, and any filter takes all
//! three. [`format`](crate::format) describes the bytes.
//!
//! ```
//! use membership_filters::spark::{BloomFilter, Parameters};
//!
//! // BloomFilter.create(1000, 0.01)
//! let mut seen = BloomFilter::new(&Parameters::new(1000, 0.01)?)?;
//! assert!(seen.insert(&42_i64)); // putLong(42): bits changed, so it was certainly absent
//! assert!(seen.insert("apple")); // putString("apple")
//! assert!(seen.contains(&42_i64)); // mightContainLong(42)
//! assert!(!seen.contains("banana"));
//!
//! // The bytes of writeTo, which readFrom reads.
//! let stream = seen.to_bytes();
//! assert_eq!(BloomFilter::from_bytes(&stream)?, seen);
//!
//! // Filters of equal sizes, probe counts and versions become one: mergeInPlace.
//! let mut other = BloomFilter::new(&Parameters::new(1000, 0.01)?)?;
//! other.insert("cherry");
//! seen.merge(&other)?;
//! assert!(seen.contains("cherry"));
//! # Ok::<(), membership_filters::Error>(())
//! ```
//!
//! # The caps of Spark's data frames
//!
//! `BloomFilter.create` makes filters of any size. The filters of `df.stat.bloomFilter` and of runtime joins are cut to
//! 4,000,000 keys and to 67,108,864 bits, each by itself. A filter for 20 million keys at 1 % then has the probe
//! count for 4 million, 12, and about 71 % false positives once it is full; 2 probes in the same memory would give 20 %.
//! [`Parameters::of_data_frame`] returns these sizes, and [`BloomFilter::expected_rate`] the rate of a filter.

mod item;
mod parameters;
mod steps;
mod stream;

use alloc::vec::Vec;

use crate::batch;
use crate::bits::Bits;
use crate::error::Error;
use crate::guava::shape;
use crate::modulus::Modulus;
use crate::unrolled::{self, Steps};

pub use item::{HashPair, Item};
pub use parameters::{MAX_DATA_FRAME_BITS, MAX_DATA_FRAME_ITEMS, MAX_PROBE_COUNT, Parameters};
pub use stream::StreamHeader;

use crate::guava::Mitz32;
use steps::StepsV2;

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

/// Evaluates an expression in which `$steps` is the type of the version's positions.
macro_rules! by_version {
    ($version:expr, $steps:ident => $call:expr) => {
        match $version {
            Version::V1 => {
                type $steps = Mitz32;
                $call
            }
            Version::V2 { .. } => {
                type $steps = StepsV2;
                $call
            }
        }
    };
}

impl Version {
    /// Returns the number that the stream begins with.
    pub const fn number(self) -> u32 {
        match self {
            Self::V1 => 1,
            Self::V2 { .. } => 2,
        }
    }

    /// Returns the length in bytes of the header of a stream: 12 or 16.
    pub const fn header_len(self) -> usize {
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

    /// Returns the positions of a key, each below the modulus, which is the filter's number of bits: for bits that are
    /// kept elsewhere. Positions may repeat.
    ///
    /// ```
    /// use membership_filters::Modulus;
    /// use membership_filters::spark::{BloomFilter, Parameters};
    ///
    /// let mut filter = BloomFilter::new(&Parameters::new(1000, 0.01)?)?;
    /// filter.insert("apple");
    /// let bits = Modulus::new(filter.bits()).expect("not 0");
    /// let positions = filter.version().positions("apple", filter.probe_count(), bits);
    /// assert!(positions.into_iter().all(|bit| filter.words()[bit as usize / 64] >> (bit % 64) & 1 == 1));
    /// # Ok::<(), membership_filters::Error>(())
    /// ```
    #[must_use]
    pub fn positions<T: Item + ?Sized>(self, item: &T, probe_count: u32, modulus: Modulus) -> Vec<u64> {
        let hash = self.hash(item);
        by_version!(self, S => {
            let mut steps = S::from(hash);
            (0..probe_count).map(|_| steps.step(modulus)).collect()
        })
    }

    /// Returns the hashes of a key under this version's [`seed`](Self::seed).
    #[inline]
    #[must_use]
    pub fn hash<T: Item + ?Sized>(self, item: &T) -> HashPair {
        item.with_bytes(|bytes| HashPair::of(bytes, self.seed()))
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
/// Calls with equal parameters set the bits that Spark sets. This module has an [example](self).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BloomFilter {
    bits: Bits,
    version: Version,
    /// From 1 to the number of bits.
    probe_count: u32,
}

impl BloomFilter {
    /// Creates an empty filter.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`](crate::ErrorKind::OutOfMemory) when the allocator refuses the memory.
    pub fn new(parameters: &Parameters) -> Result<Self, Error> {
        Ok(Self {
            bits: Bits::zeros(parameters.word_count())?,
            version: parameters.version(),
            probe_count: parameters.probe_count(),
        })
    }

    /// Inserts a key. Returns true if any bit changed, which means that the key was certainly not in the filter.
    #[inline]
    pub fn insert<T: Item + ?Sized>(&mut self, item: &T) -> bool {
        self.insert_raw(self.version.hash(item))
    }

    /// Returns whether the key might be in the filter; false is certain.
    #[inline]
    #[must_use]
    pub fn contains<T: Item + ?Sized>(&self, item: &T) -> bool {
        self.contains_raw(self.version.hash(item))
    }

    /// Inserts a key that is hashed already.
    ///
    /// # Errors
    ///
    /// [`Incompatible`](crate::ErrorKind::Incompatible) if it was hashed under a seed other than [`seed`](Self::seed).
    #[inline]
    pub fn insert_hashed(&mut self, hash: HashPair) -> Result<bool, Error> {
        self.check_seed(&hash)?;
        Ok(self.insert_raw(hash))
    }

    /// Returns whether a key that is hashed already might be in the filter. The answer is true for hashes under a seed
    /// other than [`seed`](Self::seed).
    #[inline]
    #[must_use]
    pub fn contains_hashed(&self, hash: HashPair) -> bool {
        hash.seed != self.seed() || self.contains_raw(hash)
    }

    fn check_seed(&self, hash: &HashPair) -> Result<(), Error> {
        let (kind, thing) = (crate::error::ErrorKind::Incompatible, "the seed of the hash");
        let range = format_args!("the filter's, {}", self.seed());
        if hash.seed == self.seed() {
            return Ok(());
        }
        Err(Error::new(kind, thing, range, hash.seed))
    }

    #[inline]
    fn insert_raw(&mut self, hash: HashPair) -> bool {
        by_version!(self.version, S => {
            let modulus = self.bits.modulus();
            unrolled::any(S::from(hash), self.probe_count, modulus, |position| self.bits.set(position))
        })
    }

    #[inline]
    fn contains_raw(&self, hash: HashPair) -> bool {
        let (probes, test) = (self.probe_count, |position| self.bits.test(position));
        by_version!(self.version, S => unrolled::every(S::from(hash), probes, self.bits.modulus(), test))
    }

    /// Inserts the keys in order, and returns for each what [`insert`](Self::insert) would return. In filters that
    /// are larger than the processor's caches this takes a fraction of the time of single calls.
    pub fn insert_many<T: Item>(&mut self, items: &[T]) -> Vec<bool> {
        let version = self.version;
        self.insert_each(items, |item| version.hash(item))
    }

    /// Returns whether each key might be in the filter, in the order of the keys. In filters that are larger
    /// than the processor's caches this takes a fraction of the time of single calls.
    #[must_use]
    pub fn contains_many<T: Item>(&self, items: &[T]) -> Vec<bool> {
        self.contains_each(items, |item| self.version.hash(item))
    }

    /// Inserts keys that are hashed already, in order, and returns for each what [`insert`](Self::insert) would return.
    ///
    /// # Errors
    ///
    /// The error of [`insert_hashed`](Self::insert_hashed), before the first key is inserted.
    pub fn insert_many_hashed(&mut self, hashes: &[HashPair]) -> Result<Vec<bool>, Error> {
        hashes.iter().try_for_each(|hash| self.check_seed(hash))?;
        Ok(self.insert_each(hashes, |&hash| hash))
    }

    /// Returns for each key that is hashed already what [`contains_hashed`](Self::contains_hashed) would return.
    #[must_use]
    pub fn contains_many_hashed(&self, hashes: &[HashPair]) -> Vec<bool> {
        let mut answers = self.contains_each(hashes, |&hash| hash);
        for (answer, hash) in answers.iter_mut().zip(hashes) {
            *answer |= hash.seed != self.seed();
        }
        answers
    }

    fn insert_each<T>(&mut self, items: &[T], hash: impl Fn(&T) -> HashPair) -> Vec<bool> {
        if self.bits.are_near() {
            return items.iter().map(|item| self.insert_raw(hash(item))).collect();
        }
        let probes = self.probe_count;
        by_version!(self.version, S => batch::insert::<S, _, T>(&mut self.bits, probes, items, hash))
    }

    fn contains_each<T>(&self, items: &[T], hash: impl Fn(&T) -> HashPair) -> Vec<bool> {
        let probes = self.probe_count;
        by_version!(self.version, S => batch::contains::<S, _, _, T>(&self.bits, probes, items, hash))
    }

    /// Merges all keys of `other` into this filter: Spark's `mergeInPlace`.
    ///
    /// # Errors
    ///
    /// The errors of [`BloomFilter::check_compatible`], which leave the filter unchanged.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        self.check_compatible(other)?;
        self.bits.set_all(&other.bits);
        Ok(())
    }

    /// Checks that the filters can be merged: equal versions, seeds, probe counts and numbers of bits.
    ///
    /// # Errors
    ///
    /// [`Incompatible`](crate::ErrorKind::Incompatible) names the first difference and both values.
    pub fn check_compatible(&self, other: &Self) -> Result<(), Error> {
        Error::check_equal("versions", &self.version, &other.version)?;
        Error::check_equal("probe counts", &self.probe_count, &other.probe_count)?;
        Error::check_equal("numbers of bits", &self.bits(), &other.bits())
    }

    /// Returns the version.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Returns the seed of the hash.
    pub const fn seed(&self) -> i32 {
        self.version.seed()
    }

    /// Returns the probe count k.
    pub const fn probe_count(&self) -> u32 {
        self.probe_count
    }

    /// Returns the number of bits, a multiple of 64: Spark's `bitSize`.
    pub fn bits(&self) -> u64 {
        self.bits.modulus().get()
    }

    /// Returns the bits: bit i of the filter is bit i mod 64, from the least significant, of word i / 64.
    pub fn words(&self) -> &[u64] {
        self.bits.words()
    }

    /// Returns the number of set bits, Spark's `cardinality`. Reads the whole filter.
    pub fn ones(&self) -> u64 {
        self.bits.ones()
    }

    /// Returns the filter's current false-positive rate, Spark's `expectedFpp`: the share of ones to the power of the
    /// probe count. Reads the whole filter.
    pub fn expected_rate(&self) -> f64 {
        shape::rate(self.ones(), self.bits(), self.probe_count)
    }

    /// Returns an estimate of the number of different keys, from the share of ones; `None` if all bits are set.
    /// Reads the whole filter.
    pub fn estimated_len(&self) -> Option<u64> {
        shape::estimated_len(self.ones(), self.bits(), self.probe_count)
    }
}
