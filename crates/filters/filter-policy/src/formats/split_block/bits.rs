//! Split blocks, as stored in Parquet: a multiplication selects the 32-byte block, and eight others a bit in each of
//! its eight words.
//!
//! The definition is for all kernels: compilers make vectors of whole blocks of it.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

use core::marker::PhantomData;
use core::ops::RangeInclusive;

use hashzoo::{xxh64, xxph3_64};

use super::definition::set_all;
pub(crate) use super::definition::{BLOCK_LEN, Block, words_of};
pub(crate) use super::kernel::block_of;
use super::kernel::may_match_by;
use crate::key_hash::{HashFunctionId, XXPH3_INLINE};
use crate::simd::choose::KernelToken;
use crate::simd::compile::{Lookup, by_kernel, lookup};
use crate::simd::hash::{self, tile};
use crate::simd::lanes::Target;
use crate::simd::source::Source;
use crate::simd::stored_bits::StoredBits;
use crate::simd::tiles::each_tile;

/// The hash function of a split-block filter, with seed 0. It decides the name under which engines store the filter.
pub(crate) trait BlockHash: Copy {
    /// The name under which engines store the filters.
    const NAME: &str;

    /// The short names that configuration files and command lines accept.
    const SHORT_NAMES: &'static [&'static str];

    /// The identity of the function.
    const FUNCTION: HashFunctionId;

    /// The lengths of keys that are hashed without calls: see [`StoredBits`].
    const HASHED_INLINE: RangeInclusive<usize>;

    /// Returns the hash value of one key.
    fn hash(key: &[u8]) -> u64;

    /// Computes the hash values from `start` on. Panics if there are too few.
    fn hash_tile<T: Target>(target: T, source: Source<'_, u64>, start: usize, hashes: &mut [u64]);

    /// Returns the function that queries a prepared filter; its bits are the blocks.
    fn lookup(kernel: KernelToken) -> Lookup;
}

/// [`hashzoo::xxh64`], as in Parquet.
#[derive(Debug, Clone, Copy)]
pub struct Xxh64;

impl BlockHash for Xxh64 {
    const NAME: &str = "SplitBlockBloomFilter.Xxh64";
    const SHORT_NAMES: &[&str] = &["split-block", "parquet"];
    const FUNCTION: HashFunctionId = HashFunctionId::XXH64;
    const HASHED_INLINE: RangeInclusive<usize> = 16..=16;

    #[inline(always)]
    fn hash(key: &[u8]) -> u64 {
        match key.len() {
            // The usual length, without the loops that others save registers for.
            16 => xxh64(key.first_chunk::<16>().expect("16 bytes"), 0),
            0..32 => xxh64(key, 0),
            _ => xxh64_of_stripes(key),
        }
    }

    #[inline(always)]
    fn hash_tile<T: Target>(target: T, source: Source<'_, u64>, start: usize, hashes: &mut [u64]) {
        tile::hash::<hash::xxh64::Xxh64, _>(target, source, start, hashes);
    }

    fn lookup(kernel: KernelToken) -> Lookup {
        lookup!(
            kernel,
            |lanes, _numbers, bits, key| {
                // Inline, so that no register is saved for a call.
                let key = key.first_chunk::<16>().expect("16 bytes");
                may_match_by(lanes, bits.as_chunks().0, xxh64(key, 0))
            }
            apart (key.len() != 16) { true => { may_match_by(lanes, bits.as_chunks().0, xxh64(key, 0)) } }
        )
    }
}

#[inline(never)]
const fn xxh64_of_stripes(key: &[u8]) -> u64 {
    xxh64(key, 0)
}

/// [`hashzoo::xxph3_64`], which is faster for short keys.
#[derive(Debug, Clone, Copy)]
pub struct Xxph3;

impl BlockHash for Xxph3 {
    const NAME: &str = "SplitBlockBloomFilter.Xxph3";
    const SHORT_NAMES: &[&str] = &["split-block-xxph3"];
    const FUNCTION: HashFunctionId = HashFunctionId::XXPH3;
    const HASHED_INLINE: RangeInclusive<usize> = XXPH3_INLINE;

    #[inline(always)]
    fn hash(key: &[u8]) -> u64 {
        xxph3_64(key, 0)
    }

    #[inline(always)]
    fn hash_tile<T: Target>(target: T, source: Source<'_, u64>, start: usize, hashes: &mut [u64]) {
        tile::hash::<hash::xxph3::Xxph3<false>, _>(target, source, start, hashes);
    }

    fn lookup(kernel: KernelToken) -> Lookup {
        lookup!(kernel, |lanes, _numbers, bits, key| {
            let blocks = bits.as_chunks().0;
            match key.len() {
                len if XXPH3_INLINE.contains(&len) => may_match_by(lanes, blocks, xxph3_64(key, 0)),
                // Out of line, since every query would save registers for its calls.
                _ => by_call(blocks, key, KernelToken::with(lanes)),
            }
        })
    }
}

/// Answers for a key that XXPH3 hashes by calls.
#[inline(never)]
fn by_call(blocks: &[Block], key: &[u8], kernel: KernelToken) -> bool {
    SplitBlocks::<Xxph3>::new(blocks).may_match(kernel, Xxph3::hash(key))
}

/// A stored filter: the blocks, at most 2^32.
#[derive(Debug, Clone, Copy)]
pub struct SplitBlocks<'a, H> {
    pub(crate) blocks: &'a [Block],
    hash: PhantomData<H>,
}

impl<'a, H> SplitBlocks<'a, H> {
    #[inline(always)]
    pub(crate) const fn new(blocks: &'a [Block]) -> Self {
        let hash = PhantomData;
        Self { blocks, hash }
    }
}

/// The number of blocks from which they are prefetched before use.
pub(super) const PREFETCHED: usize = (1 << 20) / BLOCK_LEN;

/// Answers from a single block, of which `word` loads the four words of 64 bits.
#[inline(always)]
pub(crate) fn words_may_match<W: Fn(usize) -> u64>(kernel: KernelToken, word: W, hash: u64) -> bool {
    by_kernel!(
        [W: Fn(usize) -> u64], |lanes, word: W, hash: u64| -> bool {
            let words = [word(0), word(1), word(2), word(3)].map(u64::to_le_bytes);
            may_match_by(lanes, words.as_flattened().as_chunks().0, hash)
        },
        kernel
    )
}

impl<H: BlockHash> StoredBits for SplitBlocks<'_, H> {
    type Hash = u64;

    const HAS_KERNELS: bool = true;

    const HASHED_INLINE: RangeInclusive<usize> = H::HASHED_INLINE;

    #[inline(always)]
    fn may_match(self, kernel: KernelToken, hash: u64) -> bool {
        let blocks = self.blocks;
        by_kernel!(
            |lanes, blocks: &[Block], hash: u64| -> bool { may_match_by(lanes, blocks, hash) },
            kernel
        )
    }

    fn may_match_many(self, kernel: KernelToken, source: Source<'_, u64>, answers: &mut [u64]) {
        let filter = self;
        by_kernel!(
            [H: BlockHash], |lanes, filter: SplitBlocks<'_, H>, source: Source<'_, u64>, answers: &mut [u64]| -> () {
                let blocks = filter.blocks;
                each_tile!(
                    source.len(),
                    blocks.len() >= PREFETCHED,
                    |start, hashes| H::hash_tile(lanes, source, start, hashes),
                    |hashes| for &hash in hashes {
                        lanes.prefetch_array::<false, _>(blocks, block_of(hash, blocks.len()));
                    },
                    |number, tile| {
                        // From the last key on, so that each step needs the one before: of other loops, compilers for
                        // AVX-512 make gathers of words of many blocks, which take twice as long.
                        let mut found = 0;
                        for &hash in tile.used().iter().rev() {
                            found = found << 1 | u64::from(may_match_by(lanes, blocks, hash));
                        }
                        answers[number] = found;
                    }
                );
            },
            kernel
        );
    }

    #[inline(always)]
    fn matches<T: Target>(self, lanes: T, hash: u64) -> bool {
        may_match_by(lanes, self.blocks, hash)
    }
}

/// Returns the answers of at most 64 filters for one hash value, one bit each; a filter without a block may match. The
/// limits are those of [`insert`](super::build::insert).
pub(crate) fn may_match_each(kernel: KernelToken, filters: &[&[Block]], hash: u64) -> u64 {
    by_kernel!(
        |lanes, filters: &[&[Block]], hash: u64| -> u64 {
            // All loads are in flight before the first one is waited for.
            for blocks in filters {
                lanes.prefetch_array::<false, _>(blocks, block_of(hash, blocks.len()));
            }
            // From the last one on: see `may_match_many`.
            let mut answers = 0;
            for blocks in filters.iter().rev() {
                answers = answers << 1 | u64::from(may_match_by(lanes, blocks, hash));
            }
            answers
        },
        kernel
    )
}

#[inline(always)]
pub(super) fn set(blocks: &mut [Block], hashes: &[u64]) {
    let count = blocks.len();
    for &hash in hashes {
        // Always present, unless there is no block.
        if let Some(block) = blocks.get_mut(block_of(hash, count)) {
            set_all(block, hash);
        }
    }
}
