//! The definition (`FORMAT.md`, "LevelDB's filter"): the positions of a hash value, and whether their bits are set.

use crate::simd::bits::usual;
use crate::simd::modulus::Modulus;

/// The probe count at 10 bits per key, for which loops are unrolled.
pub(super) const USUAL_PROBES: u8 = 6;

/// Passes the positions of the bits of a hash value: the distance from one probe to the next is a rotation of it.
#[inline(always)]
pub(super) fn each_position(modulus: Modulus, probes: u8, hash: u32, visit: &mut impl FnMut(u32)) {
    let stride = hash.rotate_right(17);
    let mut hash = hash;
    for _ in 0..probes {
        visit(modulus.remainder(hash));
        hash = hash.wrapping_add(stride);
    }
}

/// Returns true if the bits of a hash value are set.
#[inline(always)]
pub(super) fn all_set(bit_array: &[u8], modulus: Modulus, probes: u32, hash: u32) -> bool {
    let stride = hash.rotate_right(17);
    let mut hash = hash;
    let mut all = 1;
    // Runs to the end even if a bit is missing: an early exit would be mispredicted for half of the absent keys.
    for _ in 0..probes {
        let position = modulus.remainder(hash);
        let byte = bit_array
            .get((position / 8) as usize)
            .copied()
            .unwrap_or_else(never_absent);
        // The rotation counts modulo 8.
        all &= byte.rotate_right(position);
        hash = hash.wrapping_add(stride);
    }
    all & 1 != 0
}

/// Returns the byte of a position at or above the number of bits, which never occurs.
///
/// With a function that is never called, the check takes one comparison per probe. An exit from the loop would move all
/// loads after all comparisons, and the positions to the stack and back.
#[cold]
#[inline(never)]
fn never_absent() -> u8 {
    0
}

/// Returns true if the bits of a hash value are set; in portable code.
#[inline]
pub(super) fn scalar_may_match(bit_array: &[u8], modulus: Modulus, probes: u32, hash: u32) -> bool {
    const USUAL: u32 = USUAL_PROBES as u32;
    usual!(probes == USUAL, |_MOST| all_set(bit_array, modulus, probes, hash))
}
