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
    let walks = Walks::new(DoubleHashing::Modulo(32), bits, probes, precision).with_equal(equal_walks(bits));
    let by_probes = rate_of(&walks, keys as f64, libm::pow(places, 1.0 / f64::from(probes)));
    let by_probes = precision.stated(by_probes).min(1.0);
    let equal = equal_hashes(32, keys);
    by_probes + equal * (1.0 - by_probes)
}

/// Returns how many times as many hash values as by chance have a start and a step in common with another, modulo the bits.
///
/// The step is the start after a rotation by 15 bits: 2^15 times the start modulo 2^32 - 1. Starts that are equal modulo the
/// bits have steps that are equal modulo the common divisor. In large filters they are counted.
fn equal_walks(bits: u64) -> f64 {
    /// From this many bits on, so few hash values have one start that they are counted.
    const FEW_STARTS: u64 = 1 << 20;
    if bits < FEW_STARTS {
        return gcd(bits, CYCLE) as f64;
    }
    let equal = |number: u64| {
        let apart = number * bits;
        let step = (apart << 15) % CYCLE;
        let (wrapped, of) = (step as f64 / CYCLE as f64, |step: u64| {
            f64::from(u8::from(step.is_multiple_of(bits)))
        });
        let both = (1.0 - wrapped) * of(step) + wrapped * of(CYCLE - step);
        2.0 * (1.0 - apart as f64 / HASHES as f64) * both
    };
    let equal: f64 = (1..=(HASHES - 1) / bits).map(equal).sum();
    equal * bits as f64 * bits as f64 / HASHES as f64
}

/// Returns the expected share of ones among the bits that probes reach.
pub(crate) fn fill(bits: u64, keys: u64, probes: u8) -> f64 {
    places::fill(bits.min(HASHES), keys, probes)
}

#[cfg(not(emulated))]
#[cfg(test)]
mod tests;
