//! The filters that take one element after the other, behind one trait: those of `guava-bloom` and `membership-filters`.

use std::io::{self, Write};

use guava_bloom::spark::{self, HashPair, Item};
use guava_bloom::{BloomFilter, Hash128};
use membership_filters::{BlockedBloomFilter, CountingBloomFilter, CuckooFilter, GrowingBloomFilter};

pub(crate) use crate::filling::text;
use crate::filling::{Filling, Text};

/// A filter that is filled by hash values: of the 128 bits of [`Hash128`], or the 64 of [`HashPair`].
pub(crate) trait Elements: Filling + Send + Sync {
    fn hash(&self, key: &[u8]) -> u128;

    fn contains(&self, hash: u128) -> bool;

    fn contains_each(&self, hashes: &[u128]) -> Vec<bool>;

    /// Adds the elements of a stored filter of this type.
    fn merge(&mut self, stored: &[u8]) -> Text<()>;
}

/// Returns the 128 bits of an element's hash as one number.
#[inline]
pub(crate) fn hash128(key: &[u8]) -> u128 {
    let Hash128 { h1, h2 } = Hash128::of(key);
    u128::from(h1) << 64 | u128::from(h2)
}

/// Returns the two hashes of an element of Spark's filters as one number of 64 bits.
#[inline]
pub(crate) fn hash_pair(key: &[u8], seed: i32) -> u128 {
    let HashPair { h1, h2 } = HashPair::of(key, seed);
    u128::from(h1.cast_unsigned()) << 32 | u128::from(h2.cast_unsigned())
}

fn of_128(hash: u128) -> Hash128 {
    Hash128 {
        h1: (hash >> 64) as u64,
        h2: hash as u64,
    }
}

fn all_of_128(hashes: &[u128]) -> Vec<Hash128> {
    hashes.iter().map(|&hash| of_128(hash)).collect()
}

/// An element of Spark's filters that is hashed already, under the filter's seed.
struct Hashed(HashPair);

impl Item for Hashed {
    #[inline]
    fn hash(&self, _: i32) -> HashPair {
        self.0
    }
}

fn pair(hash: u128) -> Hashed {
    Hashed(HashPair {
        h1: ((hash >> 32) as u32).cast_signed(),
        h2: (hash as u32).cast_signed(),
    })
}

impl Filling for spark::BloomFilter {
    fn add(&mut self, hashes: &[u128]) -> Text<()> {
        let pairs: Vec<_> = hashes.iter().map(|&hash| pair(hash)).collect();
        self.insert_many(&pairs);
        Ok(())
    }

    fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
        self.write_to(writer)
    }

    fn rate(&self) -> Option<f64> {
        Some(self.false_positive_rate())
    }
}

impl Elements for spark::BloomFilter {
    fn hash(&self, key: &[u8]) -> u128 {
        hash_pair(key, self.seed())
    }

    fn contains(&self, hash: u128) -> bool {
        self.might_contain(&pair(hash))
    }

    fn contains_each(&self, hashes: &[u128]) -> Vec<bool> {
        let pairs: Vec<_> = hashes.iter().map(|&hash| pair(hash)).collect();
        self.might_contain_many(&pairs)
    }

    fn merge(&mut self, stored: &[u8]) -> Text<()> {
        let other = Self::from_bytes(stored).map_err(text)?;
        spark::BloomFilter::merge(self, &other).map_err(text)
    }
}

/// Implements the trait for a filter of [`Hash128`]: elements are inserted and asked by `$insert` and `$ask`.
macro_rules! elements {
    ($filter:ident, $rate:expr, $insert:expr, $ask:expr, $merge:expr) => {
        impl Filling for $filter<()> {
            fn add(&mut self, hashes: &[u128]) -> Text<()> {
                $insert(self, &all_of_128(hashes))
            }

            fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
                self.write_to(writer)
            }

            fn rate(&self) -> Option<f64> {
                Some($rate(self))
            }
        }

        impl Elements for $filter<()> {
            fn hash(&self, key: &[u8]) -> u128 {
                hash128(key)
            }

            fn contains(&self, hash: u128) -> bool {
                self.might_contain_hash(of_128(hash))
            }

            fn contains_each(&self, hashes: &[u128]) -> Vec<bool> {
                $ask(self, &all_of_128(hashes))
            }

            fn merge(&mut self, stored: &[u8]) -> Text<()> {
                let other = Self::from_bytes(stored, ()).map_err(text)?;
                $merge(self, &other).map_err(text)
            }
        }
    };
}

/// Those that fetch memory ahead for many elements.
macro_rules! batched {
    ($filter:ident, $rate:expr) => {
        elements!(
            $filter,
            $rate,
            |filter: &mut Self, hashes: &[Hash128]| {
                filter.insert_hashes(hashes);
                Ok(())
            },
            |filter: &Self, hashes: &[Hash128]| filter.might_contain_hashes(hashes),
            $filter::merge
        );
    };
}

/// Those that take elements one by one; `$done` makes a result of what inserting returns.
macro_rules! single {
    ($filter:ident, $done:expr, $merge:expr) => {
        elements!(
            $filter,
            |filter: &Self| filter.stats().false_positive_rate,
            |filter: &mut Self, hashes: &[Hash128]| {
                hashes
                    .iter()
                    .try_for_each(|&hash| $done(filter.insert_hash(hash)))
            },
            |filter: &Self, hashes: &[Hash128]| {
                hashes
                    .iter()
                    .map(|&hash| filter.might_contain_hash(hash))
                    .collect()
            },
            $merge
        );
    };
}

batched!(BloomFilter, |filter: &Self| filter.false_positive_rate());
batched!(BlockedBloomFilter, |filter: &Self| filter
    .stats()
    .false_positive_rate);
single!(CountingBloomFilter, |_| Ok(()), CountingBloomFilter::merge);
single!(
    CuckooFilter,
    |inserted: Result<(), _>| inserted.map_err(text),
    |_: &mut Self, _: &Self| Err("a cuckoo filter moves its fingerprints, so two cannot be merged")
);
single!(
    GrowingBloomFilter,
    |inserted: Result<bool, _>| inserted.map(|_| ()).map_err(text),
    |_: &mut Self, _: &Self| Err("the links of growing filters differ in size, so two cannot be merged")
);
