//! Filters of other crates, each in newly allocated memory.

use core::hint::black_box;

use fastbloom::BloomFilter;
use sbbf_rs_safe::Filter as SplitBlocks;
use xxhash_rust::xxh3::xxh3_64;

use super::ours::count;
use super::{Batched, Forms, Made, Maker};

/// A hash function.
pub type Hash = fn(&[u8]) -> u64;

/// XXH3, the usual choice of those who use filters that take hash values.
pub const XXH3: Hash = xxh3_64;

/// A filter of another crate.
pub struct Peer<M, B, H> {
    /// The crate.
    pub package: &'static str,
    /// Builds a filter.
    pub make: M,
    /// Returns the bytes of a filter.
    pub bytes: B,
    /// Returns true if a filter may have a key.
    pub has: H,
}

impl<F: 'static, M, B, H> Maker for Peer<M, B, H>
where
    M: Fn(&[&[u8]]) -> F,
    B: Fn(&F) -> usize,
    H: Fn(&F, &[u8]) -> bool,
{
    fn version(&self) -> String {
        crate::version(self.package)
    }

    fn builds<'a>(&'a self, size: usize, keys: Batched<'a>) -> Forms<'a> {
        let build = |keys| (self.bytes)(black_box(&(self.make)(keys))) as u64;
        let run = move || keys.slices.chunks_exact(size).map(build).sum();
        vec![("slices", Box::new(run))]
    }

    fn filter<'a>(&'a self, keys: &[&[u8]]) -> Box<dyn Made + 'a> {
        Box::new(OfPeer(self, (self.make)(keys)))
    }
}

struct OfPeer<'p, F, M, B, H>(&'p Peer<M, B, H>, F);

impl<F, M, B: Fn(&F) -> usize, H: Fn(&F, &[u8]) -> bool> Made for OfPeer<'_, F, M, B, H> {
    fn bytes(&self) -> usize {
        (self.0.bytes)(&self.1)
    }

    fn asks<'a>(&'a self, keys: Batched<'a>) -> Forms<'a> {
        let run = move || {
            let filter = black_box(&self.1);
            count(keys.slices, |key| (self.0.has)(filter, key))
        };
        vec![("one-by-one", Box::new(run))]
    }
}

/// Returns the split-block Bloom filters of `sbbf-rs`, which take hash values.
pub fn sbbf(bits_per_key: f64, hash: Hash) -> impl Maker {
    Peer {
        package: "sbbf-rs",
        make: move |keys: &[&[u8]]| {
            let bits = (bits_per_key * keys.len() as f64) as usize;
            let mut blocks = SplitBlocks::new(1, bits.next_multiple_of(8));
            keys.iter().for_each(|key| {
                blocks.insert_hash(hash(key));
            });
            blocks
        },
        bytes: |blocks: &SplitBlocks| blocks.as_bytes().len(),
        has: move |blocks: &SplitBlocks, key: &[u8]| blocks.contains_hash(hash(key)),
    }
}

/// Returns the filters of `fastbloom`, which chooses the probe count. `empty` makes one for a number of keys, `insert` and
/// `has` give it keys or hash values.
pub fn fastbloom(
    empty: impl Fn(usize) -> BloomFilter,
    insert: impl Fn(&mut BloomFilter, &[u8]) -> bool,
    has: impl Fn(&BloomFilter, &[u8]) -> bool,
) -> impl Maker {
    Peer {
        package: "fastbloom",
        make: move |keys: &[&[u8]]| {
            let mut filter = empty(keys.len());
            keys.iter().for_each(|key| {
                insert(&mut filter, key);
            });
            filter
        },
        bytes: |filter: &BloomFilter| filter.as_slice().len() * 8,
        has,
    }
}

/// Returns the filters of `fastbloom` with hash values.
pub fn fastbloom_hashes(empty: impl Fn(usize) -> BloomFilter, hash: Hash) -> impl Maker {
    fastbloom(
        empty,
        move |filter, key| filter.insert_hash(hash(key)),
        move |filter, key| filter.contains_hash(hash(key)),
    )
}
