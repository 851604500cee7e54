//! Building of filters that are larger than the caches: see [`Parts`].

use core::marker::PhantomData;

use super::bits::{Block, BlockHash, block_of, set};
use super::definition::BLOCK_LEN;
use crate::building::parts::{PartSizes, Parts};
use crate::simd::choose::KernelToken;
use crate::simd::compile::by_kernel;
use crate::simd::source::{Source, TILE};

/// The number of keys that are hashed together.
const BATCH: usize = 16 * TILE;

/// Adds the bits of all keys to blocks, if that is faster than with [`super::build::insert`]. Returns false if nothing was
/// done.
// Apart, since small filters need no room for batches on the stack.
#[inline(never)]
pub(crate) fn insert<H: BlockHash>(
    sizes: PartSizes,
    kernel: KernelToken,
    blocks: &mut [Block],
    source: Source<'_, u64>,
) -> bool {
    // Hash values in order go from block to block already.
    let is_sorted = match source {
        Source::Hashes(hashes) => hashes.iter().take(BATCH).is_sorted(),
        Source::Keys(_) => false,
    };
    if is_sorted {
        return false;
    }
    let Some(mut building) = InParts::new(sizes, kernel, blocks, source.len()) else {
        return false;
    };
    let mut room = [0; BATCH];
    for start in (0..source.len()).step_by(BATCH) {
        let count = BATCH.min(source.len() - start);
        let hashes = room.get_mut(..count).unwrap_or_default();
        hash::<H>(kernel, source, start, hashes);
        building.add(hashes);
    }
    building.finish();
    true
}

/// Computes the hash values from `start` on.
fn hash<H: BlockHash>(kernel: KernelToken, source: Source<'_, u64>, start: usize, hashes: &mut [u64]) {
    let _function = PhantomData::<H>;
    by_kernel!(
        [H: BlockHash],
        |lanes, source: Source<'_, u64>, start: usize, hashes: &mut [u64], _function: PhantomData<H>| -> () {
            let mut start = start;
            for hashes in hashes.chunks_mut(TILE) {
                H::hash_tile(lanes, source, start, hashes);
                start += hashes.len();
            }
        },
        kernel
    );
}

/// Blocks and the hash values that are not in them yet.
pub(crate) struct InParts<'a> {
    kernel: KernelToken,
    blocks: &'a mut [Block],
    parts: Parts<u64>,
}

impl<'a> InParts<'a> {
    /// Starts to add at least this many hash values, if that is faster so: see [`Parts::new`].
    pub(crate) fn new(
        sizes: PartSizes,
        kernel: KernelToken,
        blocks: &'a mut [Block],
        announced: usize,
    ) -> Option<Self> {
        let parts = Parts::new(sizes, blocks.len() * BLOCK_LEN, announced)?;
        Some(Self {
            kernel,
            blocks,
            parts,
        })
    }

    /// Adds hash values.
    pub(crate) fn add(&mut self, hashes: &[u64]) {
        let (blocks, shift) = (self.blocks.len(), self.parts.shift() - BLOCK_LEN.ilog2());
        for &hash in hashes {
            let part = block_of(hash, blocks) >> shift;
            if self.parts.push(part, hash) {
                self.set(part);
            }
        }
    }

    /// Sets the bits of all hash values that were added.
    pub(crate) fn finish(mut self) {
        for part in 0..self.parts.count() {
            self.set(part);
        }
    }

    #[inline(never)]
    fn set(&mut self, part: usize) {
        let hashes = self.parts.take(part, self.blocks.as_flattened());
        let (kernel, blocks) = (self.kernel, &mut *self.blocks);
        by_kernel!(
            |_lanes, blocks: &mut [Block], hashes: &[u64]| -> () {
                set(blocks, hashes);
            },
            kernel
        );
    }
}
