//! The query of a hash value.
#![allow(
    unsafe_code,
    clippy::cast_possible_truncation,
    reason = "an index that is below the number of blocks"
)]

use super::definition::{Block, all_set, none_missing};
use crate::simd::lanes::Target;

/// Returns the block of a hash value among this many.
#[inline(always)]
pub(crate) const fn block_of(hash: u64, blocks: usize) -> usize {
    // Fits: the index is below the number of blocks, because the fraction that is multiplied is below one.
    (((hash >> 32) * blocks as u64) >> 32) as usize
}

/// Returns true if the block of a hash value has its bits, or there is no block.
#[inline(always)]
pub(super) fn may_match_by<L: Target>(_: L, blocks: &[Block], hash: u64) -> bool {
    if blocks.is_empty() {
        return true;
    }
    // SAFETY: there is a block, so the index is below their number: see `block_of`. If there are more than 2^32, the
    // product wraps, but its upper half is below 2^32.
    let block = unsafe { blocks.get_unchecked(block_of(hash, blocks.len())) };
    if L::VECTORS {
        none_missing(block, hash)
    } else {
        all_set(block, hash)
    }
}
