//! Building of filters that are larger than the caches: see [`BitsInParts`].

use super::definition::{MULTIPLIER, position};
use crate::building::parts::{BitsInParts, PartSizes};
use crate::simd::choose::KernelToken;
use crate::simd::compile::by_kernel;
use crate::simd::hash::tile;
use crate::simd::hash::xxph3::Xxph3;
use crate::simd::source::{Source, TILE};

/// The number of keys that are hashed together.
const BATCH: usize = 16 * TILE;

/// Adds the bits of all keys to a bit array, if that is faster than with [`super::bits::insert`]. Returns false if nothing
/// was done.
// Apart, since small filters need no room for batches on the stack.
#[inline(never)]
pub(crate) fn insert(
    sizes: PartSizes,
    kernel: KernelToken,
    bit_array: &mut [u8],
    probes: u8,
    source: Source<'_, u64>,
) -> bool {
    let announced = source.len().saturating_mul(probes.into());
    let bits = bit_array.len() as u64 * 8;
    let Some(mut building) = BitsInParts::new(sizes, bit_array, announced) else {
        return false;
    };
    let mut room = [0; BATCH];
    for start in (0..source.len()).step_by(BATCH) {
        let count = BATCH.min(source.len() - start);
        let hashes = room.get_mut(..count).unwrap_or_default();
        hash(kernel, source, start, hashes);
        for &hash in &*hashes {
            let mut walk = hash;
            for _ in 0..probes {
                building.set(position(walk, bits));
                walk = walk.wrapping_mul(MULTIPLIER);
            }
        }
    }
    building.finish();
    true
}

/// Computes the hash values from `start` on.
fn hash(kernel: KernelToken, source: Source<'_, u64>, start: usize, hashes: &mut [u64]) {
    by_kernel!(
        |lanes, source: Source<'_, u64>, start: usize, hashes: &mut [u64]| -> () {
            let mut start = start;
            for hashes in hashes.chunks_mut(TILE) {
                tile::hash::<Xxph3<false>, _>(lanes, source, start, hashes);
                start += hashes.len();
            }
        },
        kernel
    );
}
