//! Filters whose probes go anywhere: the portable code, with the processor's own products of 128 bits, and memory that is
//! asked for ahead.

use super::super::Avx2;
use super::hash;
use crate::arch::generic::Lanes;
use crate::arch::wide::spread::{MULTIPLIER, PREFETCHED, all_set, position, set};
use crate::arch::wide::{TILE, WideSource};

impl Avx2 {
    pub(in crate::arch) fn insert_spread(self, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
        // SAFETY: see the type.
        unsafe { insert(self, bit_array, probes, source) }
    }

    pub(in crate::arch) fn spread_may_match_many(
        self,
        bit_array: &[u8],
        probes: u8,
        source: WideSource<'_>,
        answers: &mut [u64],
    ) {
        // SAFETY: see the type.
        unsafe { may_match_many(self, bit_array, probes, source, answers) }
    }
}

/// Asks for the bytes of all probes of these hash values.
#[inline(always)]
fn prefetch<const WRITE: bool>(lanes: Avx2, bit_array: &[u8], probes: u8, hashes: &[u64]) {
    let bits = bit_array.len() as u64 * 8;
    for &hash in hashes {
        let mut walk = hash;
        for _ in 0..probes {
            let byte = (position(walk, bits) / 8) as usize;
            lanes.prefetch::<WRITE>(bit_array, byte);
            walk = walk.wrapping_mul(MULTIPLIER);
        }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn insert(lanes: Avx2, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
    if bit_array.len() < PREFETCHED {
        return set(bit_array, probes, source);
    }
    let len = source.len();
    let (mut now, mut before) = ([0; TILE], [0; TILE]);
    let mut waiting = 0;
    for start in (0..len).step_by(TILE) {
        let count = TILE.min(len - start);
        hash(source, start, &mut now[..count]);
        prefetch::<true>(lanes, bit_array, probes, &now[..count]);
        set(bit_array, probes, WideSource::Hashes(&before[..waiting]));
        core::mem::swap(&mut now, &mut before);
        waiting = count;
    }
    set(bit_array, probes, WideSource::Hashes(&before[..waiting]));
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn may_match_many(lanes: Avx2, bit_array: &[u8], probes: u8, source: WideSource<'_>, answers: &mut [u64]) {
    let len = source.len();
    let mut hashes = [0; TILE];
    for (word, start) in answers.iter_mut().zip((0..len).step_by(TILE)) {
        let hashes = &mut hashes[..TILE.min(len - start)];
        hash(source, start, hashes);
        if bit_array.len() >= PREFETCHED {
            // All 64 are under way together before the first is waited for.
            prefetch::<false>(lanes, bit_array, probes, hashes);
        }
        *word = 0;
        for (i, &hash) in hashes.iter().enumerate() {
            *word |= u64::from(all_set(bit_array, probes, hash)) << i;
        }
    }
}
