//! What stored bytes are in Parquet's layout: blocks and nothing else.

use super::Contents;
use crate::arch::KernelToken;
use crate::arch::wide::blocks::{self, Block};

/// What stored bytes are. Hash values reach 2^32 blocks and no further.
#[inline]
pub(crate) const fn contents(filter: &[u8]) -> Contents<'_> {
    match filter.as_chunks() {
        ([], []) => Contents::Empty,
        (blocks, []) if blocks.len() as u64 <= 1 << 32 => Contents::SplitBlocks(blocks),
        _ => Contents::Reserved,
    }
}

/// The answers of all filters, which may be any bytes, for one hash value; there is a word for every 64 of them.
pub(crate) fn may_match_each(kernel: KernelToken, filters: &[&[u8]], hash: u64, answers: &mut [u64]) {
    for (word, filters) in answers.iter_mut().zip(filters.chunks(64)) {
        // Without a block, which may match.
        let mut found: [&[Block]; 64] = [&[]; 64];
        let mut empty = 0;
        for (i, (found, filter)) in found.iter_mut().zip(filters).enumerate() {
            match contents(filter) {
                Contents::SplitBlocks(blocks) => *found = blocks,
                contents => empty |= u64::from(matches!(contents, Contents::Empty)) << i,
            }
        }
        let found = found.get(..filters.len()).unwrap_or_default();
        *word = blocks::may_match_each(kernel, found, hash) & !empty;
    }
}
