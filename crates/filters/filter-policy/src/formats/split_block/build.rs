//! Building: the bits of a few keys, and of many.

use core::marker::PhantomData;

use super::bits::{BlockHash, PREFETCHED, block_of, set};
use super::definition::Block;
#[cfg(feature = "alloc")]
use super::large;
#[cfg(feature = "alloc")]
use crate::building::parts::PartSizes;
use crate::simd::choose::KernelToken;
use crate::simd::compile::by_kernel;
use crate::simd::lanes::Target as _;
use crate::simd::source::Source;
use crate::simd::tiles::each_tile;

/// Adds the bits of all keys to the blocks. There are at most 2^32 blocks.
pub(crate) fn insert<H: BlockHash>(kernel: KernelToken, blocks: &mut [Block], source: Source<'_, u64>) {
    #[cfg(feature = "alloc")]
    if size_of_val(blocks) >= PartSizes::BEST.least
        && large::insert::<H>(PartSizes::BEST, kernel, blocks, source)
    {
        return;
    }
    let _function = PhantomData::<H>;
    by_kernel!(
        [H: BlockHash], |lanes, blocks: &mut [Block], _function: PhantomData<H>, source: Source<'_, u64>| -> () {
            each_tile!(
                source.len(),
                blocks.len() >= PREFETCHED,
                |start, hashes| H::hash_tile(lanes, source, start, hashes),
                |hashes| for &hash in hashes {
                    lanes.prefetch_array::<true, _>(blocks, block_of(hash, blocks.len()));
                },
                |_, tile| set(blocks, tile.used())
            );
        },
        kernel
    );
}

/// Adds the bits of one hash value, without the stack memory that many take.
#[inline(always)]
pub(crate) fn insert_hash(kernel: KernelToken, blocks: &mut [Block], hash: u64) {
    by_kernel!(
        |_lanes, blocks: &mut [Block], hash: u64| -> () {
            set(blocks, &[hash]);
        },
        kernel
    );
}
