//! Parquet's stored layout: blocks and nothing else.

use filter_kernels::KernelToken;
use filter_kernels::split_block::{self, BLOCK_LEN, Block, BlockHash, SplitBlocks};
use filter_policy::{BitsPerKey, Error};

use super::Contents;

/// The maximum length of a bit set: Parquet's header stores the length as a signed 32-bit number.
pub(crate) const MAX_LEN: u32 = i32::MAX.unsigned_abs() & !31;

/// Returns the length of a bit set for this many keys: whole blocks, at least one.
pub(crate) fn bitset_bytes(bits_per_key: BitsPerKey, keys: u64) -> Result<u64, Error> {
    u64::try_from(bits_per_key.times(keys))
        .ok()
        .and_then(|bits| {
            bits.div_ceil(8 * BLOCK_LEN as u64)
                .max(1)
                .checked_mul(BLOCK_LEN as u64)
        })
        .filter(|&bytes| bytes <= MAX_LEN.into())
        .ok_or(Error::FilterTooLarge {
            keys,
            bits_per_key: bits_per_key.get(),
        })
}

/// Identifies stored bytes. Hash values can select among at most 2^32 blocks.
#[inline]
pub(crate) const fn contents(filter: &[u8], hash: BlockHash) -> Contents<'_> {
    match filter.as_chunks() {
        ([], []) => Contents::Empty,
        (blocks, []) if blocks.len() as u64 <= 1 << 32 => Contents::SplitBlock(SplitBlocks { blocks, hash }),
        _ => Contents::Reserved,
    }
}

/// Queries all filters, which may be any bytes, for one hash value; `answers` has a word for every 64 filters.
pub(crate) fn may_match_each(kernel: KernelToken, filters: &[&[u8]], hash: u64, answers: &mut [u64]) {
    for (word, filters) in answers.iter_mut().zip(filters.chunks(64)) {
        // A filter without blocks may match.
        let mut found: [&[Block]; 64] = [&[]; 64];
        let mut empty = 0;
        for (i, (found, filter)) in found.iter_mut().zip(filters).enumerate() {
            // The hash value is given, so the function does not matter.
            match contents(filter, BlockHash::Xxh64) {
                Contents::SplitBlock(filter) => *found = filter.blocks,
                contents => empty |= u64::from(matches!(contents, Contents::Empty)) << i,
            }
        }
        let found = found.get(..filters.len()).unwrap_or_default();
        *word = split_block::may_match_each(kernel, found, hash) & !empty;
    }
}
