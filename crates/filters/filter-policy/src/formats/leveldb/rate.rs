//! The rate of LevelDB's probe sequence, computed from the arithmetic of 2^32, the rotation and the number of bits.
//!
//! [`theory`](crate::theory) derives it. Means over hash values are taken over pseudorandom ones, always the same.

mod places;

use crate::simd::MAX_PROBES;

use crate::sizing::{DoubleHashing, Precision, Walks, equal_hashes, gcd, rate_of};

/// The number of 32-bit hash values.
const HASHES: u64 = 1 << 32;

/// Rotating a value multiplies it by a power of two modulo this number.
const CYCLE: u64 = HASHES - 1;

const MAX: usize = MAX_PROBES as usize;

/// Returns the rate of a filter of this many bits, at least 64, with 1 to 30 probes, equal hash values included.
pub(crate) fn rate(bits: u64, keys: u64, probes: u8, precision: Precision) -> f64 {
    if keys == 0 {
        return 0.0;
    }
    // Positions beyond 2^32 are never reached.
    let bits = bits.min(HASHES);
    let (places, probes) = (places::ratio(bits, keys, probes, precision), u32::from(probes));
    // The step is the start after a rotation by 15 bits: 2^15 times the start modulo 2^32 - 1.
    let walks = Walks::new(DoubleHashing::Modulo(32), bits, probes, precision);
    let walks = walks.with_steps_of_starts(gcd(bits, CYCLE));
    let by_probes = rate_of(&walks, keys as f64, libm::pow(places, 1.0 / f64::from(probes)));
    let equal = equal_hashes(32, keys);
    by_probes + equal * (1.0 - by_probes)
}

/// Returns the solutions of `factor * x = value` modulo `bits`, which is at most 2^32, in ascending order.
fn solve(factor: u64, value: u64, bits: u64) -> impl Iterator<Item = u64> {
    let divisor = gcd(factor, bits);
    let apart = bits / divisor;
    let least = value / divisor % apart * inverse(factor / divisor % apart, apart) % apart;
    let solutions = if value.is_multiple_of(divisor) { divisor } else { 0 };
    (0..solutions).map(move |i| least + i * apart)
}

/// Returns the inverse of a number that has no factor in common with `modulus`, which is at most 2^32.
fn inverse(number: u64, modulus: u64) -> u64 {
    let (mut rest, mut next) = (modulus as i64, number as i64);
    let (mut factor, mut next_factor) = (0, 1);
    while next != 0 {
        let quotient = rest / next;
        (rest, next) = (next, rest - quotient * next);
        (factor, next_factor) = (next_factor, factor - quotient * next_factor);
    }
    factor.rem_euclid(modulus as i64) as u64
}

#[cfg(not(emulated))]
#[cfg(test)]
mod tests;
