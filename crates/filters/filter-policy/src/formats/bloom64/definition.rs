//! The definition (`FORMAT.md`, "The filter with a 64-bit hash"): the positions of a hash value, and whether their bits
//! are set.

use crate::simd::bits::{set_rest, usual};
use crate::simd::source::Source;

/// The factor of the walk from one probe to the next: a multiplier that was found to spread well for 64-bit generators
/// without an addend (Steele and Vigna, "Computationally easy, spectrally good multipliers for congruential
/// pseudorandom number generators", 2022).
pub(super) const MULTIPLIER: u64 = 0xf135_7aea_2e62_a9c5;

/// Returns the bit, out of `bits`, that a step of the walk selects.
#[inline(always)]
pub(super) const fn position(walk: u64, bits: u64) -> u64 {
    ((walk as u128 * bits as u128) >> 64) as u64
}

/// Sets the bits of all keys.
#[inline(always)]
fn set_all(bit_array: &mut [u8], probes: u8, source: Source<'_, u64>) {
    let bits = bit_array.len() as u64 * 8;
    let (words, rest) = bit_array.as_chunks_mut::<4>();
    let mut beyond = 0_u32;
    source.for_each(|hash| {
        let mut walk = hash;
        for _ in 0..probes {
            let position = position(walk, bits);
            let bit = 1 << (position % 32);
            match words.get_mut((position / 32) as usize) {
                Some(word) => *word = (u32::from_le_bytes(*word) | bit).to_le_bytes(),
                None => beyond |= bit,
            }
            walk = walk.wrapping_mul(MULTIPLIER);
        }
    });
    set_rest(rest, beyond);
}

/// Returns true if the bits of a hash value are set. Runs to the end even if a bit is missing: an early exit would be
/// mispredicted for half of the absent keys.
#[inline(always)]
fn all_of(bit_array: &[u8], probes: u8, hash: u64) -> bool {
    let bits = bit_array.len() as u64 * 8;
    let mut walk = hash;
    let mut all = 1;
    for _ in 0..probes {
        let position = position(walk, bits);
        let byte = usize::try_from(position / 8)
            .ok()
            .and_then(|at| bit_array.get(at))
            .copied()
            .unwrap_or_default();
        all &= byte >> (position % 8);
        walk = walk.wrapping_mul(MULTIPLIER);
    }
    all & 1 != 0
}

/// The probe count at 10 bits per key, for which loops are unrolled.
pub(super) const USUAL_PROBES: u8 = 7;

/// Sets the bits of all keys, in portable code.
#[inline(always)]
pub(super) fn set(bit_array: &mut [u8], probes: u8, source: Source<'_, u64>) {
    usual!(probes == USUAL_PROBES, |_MOST| set_all(bit_array, probes, source));
}

/// Returns true if the bits of a hash value are set; in portable code.
#[inline(always)]
pub(super) fn all_set(bit_array: &[u8], probes: u8, hash: u64) -> bool {
    usual!(probes == USUAL_PROBES, |_MOST| all_of(bit_array, probes, hash))
}
