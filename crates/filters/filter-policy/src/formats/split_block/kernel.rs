//! The query of a hash value.
#![allow(unsafe_code, reason = "bounds that were checked before")]

use super::bits::{Block, all_set, block_of, none_missing};
use crate::simd::lanes::Target;

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
