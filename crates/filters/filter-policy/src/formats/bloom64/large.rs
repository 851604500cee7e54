//! Building of filters that are larger than the caches: see [`Parts`].
#![allow(clippy::cast_possible_truncation, reason = "positions were checked before")]

use super::definition::{MULTIPLIER, position};
use crate::building::parts::{PartSizes, Parts};
use crate::simd::choose::KernelToken;
use crate::simd::compile::by_kernel;
use crate::simd::hash::tile;
use crate::simd::hash::xxph3::Xxph3;
use crate::simd::source::{Source, TILE};

/// The number of keys that are hashed together.
const BATCH: usize = 16 * TILE;

/// Adds the bits of all keys to a bit array, if that is faster than with [`super::bits::insert`]. Returns false if nothing
/// was done.
pub(crate) fn insert(
    sizes: PartSizes,
    kernel: KernelToken,
    bit_array: &mut [u8],
    probes: u8,
    source: Source<'_, u64>,
) -> bool {
    let announced = source.len().saturating_mul(probes.into());
    let Some(mut parts) = Parts::<u32>::new(sizes, bit_array.len(), announced) else {
        return false;
    };
    let (bits, shift) = (bit_array.len() as u64 * 8, parts.shift() + 3);
    // An entry is a position within a part.
    if shift > u32::BITS {
        return false;
    }
    let within = u64::MAX >> (u64::BITS - shift);
    let mut room = [0; BATCH];
    for start in (0..source.len()).step_by(BATCH) {
        let count = BATCH.min(source.len() - start);
        let hashes = room.get_mut(..count).unwrap_or_default();
        hash(kernel, source, start, hashes);
        for &hash in &*hashes {
            let mut walk = hash;
            for _ in 0..probes {
                let position = position(walk, bits);
                walk = walk.wrapping_mul(MULTIPLIER);
                let part = (position >> shift) as usize;
                if parts.push(part, (position & within) as u32) {
                    set(bit_array, &mut parts, part);
                }
            }
        }
    }
    for part in 0..parts.count() {
        set(bit_array, &mut parts, part);
    }
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

/// Sets the bits of a part at the positions in its run.
#[inline(never)]
fn set(bit_array: &mut [u8], parts: &mut Parts<u32>, part: usize) {
    let start = part << parts.shift();
    let positions = parts.take(part, bit_array);
    let bits = bit_array.get_mut(start..).unwrap_or_default();
    for &position in positions {
        // Always present, since positions are below the number of bits.
        if let Some(byte) = bits.get_mut(position as usize / 8) {
            *byte |= 1 << (position % 8);
        }
    }
}
