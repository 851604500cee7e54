//! The filters that take one element after the other, behind one trait: those of `membership-filters`.

use std::any::Any;
use std::io::{self, Write};

use membership_filters::spark::{self, HashPair};
use membership_filters::{BlockedBloomFilter, CountingBloomFilter, CuckooFilter, GrowingBloomFilter};
use membership_filters::{BloomFilter, Bytes, Hash128, HashId, Hashed, Hashing as _, envelope};

pub(crate) use crate::filling::text;
use crate::filling::{Filling, Text};

/// A filter that is filled by hash values: of the 128 bits of [`Hash128`], or the 64 of [`HashPair`].
pub(crate) trait Elements: Filling + Any + Send + Sync {
    fn hash(&self, key: &[u8]) -> u128;

    fn contains(&self, hash: u128) -> bool;

    fn contains_each(&self, hashes: &[u128]) -> Vec<bool>;

    /// Adds the elements of a filter of this type.
    fn merge(&mut self, other: &dyn Elements) -> Text<()>;
}

/// Returns a filter that is to be merged as one of this type.
fn like<F: Elements>(other: &dyn Elements) -> Text<&F> {
    let other: &dyn Any = other;
    let like = other.downcast_ref();
    like.ok_or_else(|| "filters that are merged must have one format".to_owned())
}

/// Returns the 128 bits of an element's hash as one number.
#[inline]
pub(crate) fn hash128(Hash128 { h1, h2 }: Hash128) -> u128 {
    u128::from(h1) << 64 | u128::from(h2)
}

fn hashed<F>(funnel: F, hash: u128) -> Hashed<F> {
    let (h1, h2) = ((hash >> 64) as u64, hash as u64);
    Hashed::assume(funnel, Hash128 { h1, h2 })
}

fn all_hashed<F: Copy>(funnel: F, hashes: &[u128]) -> Vec<Hashed<F>> {
    hashes.iter().map(|&hash| hashed(funnel, hash)).collect()
}

/// Returns the two hashes of an element of Spark's filters as one number of 64 bits.
#[inline]
pub(crate) fn hash_pair(key: &[u8], seed: i32) -> u128 {
    let pair = HashPair::of(key, seed);
    u128::from(pair.h1().cast_unsigned()) << 32 | u128::from(pair.h2().cast_unsigned())
}

/// Returns the hashes under the seed of the filter that they are for.
fn pair(hash: u128, seed: i32) -> HashPair {
    let half = |bits: u128| (bits as u32).cast_signed();
    HashPair::assume(half(hash >> 32), half(hash), seed)
}

fn pairs(hashes: &[u128], seed: i32) -> Vec<HashPair> {
    hashes.iter().map(|&hash| pair(hash, seed)).collect()
}

impl Filling for spark::BloomFilter {
    fn add(&mut self, hashes: &[u128]) -> Text<()> {
        let pairs = pairs(hashes, self.seed());
        self.insert_hashes(&pairs).map(drop).map_err(text)
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
        self.might_contain_hash(pair(hash, self.seed()))
    }

    fn contains_each(&self, hashes: &[u128]) -> Vec<bool> {
        self.might_contain_hashes(&pairs(hashes, self.seed()))
    }

    fn merge(&mut self, other: &dyn Elements) -> Text<()> {
        spark::BloomFilter::merge(self, like(other)?).map_err(text)
    }
}

/// Implements the trait for a filter of [`Hash128`], which `$write` writes: elements are inserted
/// and looked up by `$insert` and `$ask`.
macro_rules! elements {
    ($filter:ident<$funnel:ty>, $write:expr, $rate:expr, $insert:expr, $ask:expr, $merge:expr) => {
        impl Filling for $filter<$funnel> {
            fn add(&mut self, hashes: &[u128]) -> Text<()> {
                let hashes = all_hashed(*self.funnel(), hashes);
                $insert(self, &hashes)
            }

            fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
                $write(self, writer)
            }

            fn rate(&self) -> Option<f64> {
                Some($rate(self))
            }
        }

        impl Elements for $filter<$funnel> {
            fn hash(&self, key: &[u8]) -> u128 {
                hash128(self.funnel().hash_id().hash(key))
            }

            fn contains(&self, hash: u128) -> bool {
                self.might_contain_hash(&hashed(*self.funnel(), hash))
            }

            fn contains_each(&self, hashes: &[u128]) -> Vec<bool> {
                $ask(self, &all_hashed(*self.funnel(), hashes))
            }

            fn merge(&mut self, other: &dyn Elements) -> Text<()> {
                $merge(self, like(other)?).map_err(text)
            }
        }
    };
}

/// Those that fetch memory ahead for many elements.
macro_rules! batched {
    ($filter:ident<$funnel:ty>, $write:expr, $rate:expr) => {
        elements!(
            $filter<$funnel>,
            $write,
            $rate,
            |filter: &mut Self, hashes: &[_]| filter.insert_hashes(hashes).map(drop).map_err(text),
            |filter: &Self, hashes: &[_]| filter.might_contain_hashes(hashes),
            $filter::merge
        );
    };
}

/// Those that take elements one by one.
macro_rules! single {
    ($filter:ident, $merge:expr) => {
        elements!(
            $filter<HashId>,
            envelope::write_to,
            |filter: &Self| filter.stats().false_positive_rate,
            |filter: &mut Self, hashes: &[_]| {
                let mut hashes = hashes.iter();
                hashes.try_for_each(|hash| filter.insert_hash(hash).map(drop).map_err(text))
            },
            |filter: &Self, hashes: &[_]| {
                let hashes = hashes.iter();
                hashes.map(|hash| filter.might_contain_hash(hash)).collect()
            },
            $merge
        );
    };
}

batched!(BloomFilter<Bytes>, Self::write_to, Self::false_positive_rate);
batched!(BloomFilter<HashId>, envelope::write_to, Self::false_positive_rate);
batched!(BlockedBloomFilter<HashId>, envelope::write_to, |filter: &Self| {
    filter.stats().false_positive_rate
});
single!(CountingBloomFilter, CountingBloomFilter::merge);
single!(CuckooFilter, |_: &mut Self, _: &Self| Err(
    "a cuckoo filter moves its fingerprints, so two cannot be merged"
));
single!(GrowingBloomFilter, |_: &mut Self, _: &Self| Err(
    "the links of growing filters differ in size, so two cannot be merged"
));
