//! The rate of LevelDB's probe sequence, computed from the arithmetic of 2^32, the rotation and the number of bits.
//!
//! [`theory`](crate::theory) derives it. Means over hash values, and over the wraps of their probes, are taken at evenly
//! spread ones, always the same.

mod places;
mod repeats;

use crate::simd::MAX_PROBES;

use crate::sizing::{all_ones, equal_hashes};

/// The number of 32-bit hash values.
const HASHES: u64 = 1 << 32;

/// Rotating a value multiplies it by a power of two modulo this number.
const CYCLE: u64 = HASHES - 1;

const MAX: usize = MAX_PROBES as usize;

/// Returns the rate of a filter of this many bits, at least 64, with 1 to 30 probes, equal hash values included.
pub(crate) fn rate(bits: u64, keys: u64, probes: u8) -> f64 {
    if keys == 0 {
        return 0.0;
    }
    // Positions beyond 2^32 are never reached.
    let bits = bits.min(HASHES);
    let full = Cover::new(bits, keys, probes, places::ratio(bits, keys, probes));
    let own = repeats::of_one_key(bits, &full);
    let by_probes = (full.all() + own + repeats::of_two_keys(bits, keys, &full)).clamp(0.0, 1.0);
    let equal = equal_hashes(32, keys);
    by_probes + equal * (1.0 - by_probes)
}

/// The probabilities that 0, 1, 2, ... given positions are all ones.
struct Cover {
    ones: [f64; MAX + 1],
    probes: usize,
}

impl Cover {
    /// Computes those of independent probes. `by_places` is the ratio by which uneven positions change the last.
    fn new(bits: u64, keys: u64, probes: u8, by_places: f64) -> Self {
        let k = f64::from(probes);
        let mut ones = [1.0; MAX + 1];
        for (positions, ones) in (1..=probes).zip(ones.iter_mut().skip(1)) {
            *ones = all_ones(usize::from(positions), bits as f64, k * keys as f64)
                * libm::pow(by_places, f64::from(positions) / k);
        }
        Self {
            ones,
            probes: usize::from(probes),
        }
    }

    fn of(&self, positions: usize) -> f64 {
        self.ones.get(positions).copied().unwrap_or(1.0)
    }

    fn all(&self) -> f64 {
        self.of(self.probes)
    }

    /// Returns what a stored key adds to the probability that an absent key matches if it has set this many of its bits
    /// instead of these being set independently.
    fn gain(&self, shared: usize) -> f64 {
        let one = self.of(self.probes.saturating_sub(1)) - self.all();
        self.of(self.probes.saturating_sub(shared)) - self.all() - shared as f64 * one
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
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

/// Returns 2^32 times a coordinate of evenly spread points in five dimensions (Roberts, "The unreasonable effectiveness
/// of quasirandom sequences", 2018).
fn evenly_spread(point: u32) -> [u32; 5] {
    // 2^32 over the powers of the root of x^6 = x + 1, made odd.
    [
        3_785_032_107,
        3_335_640_777,
        2_939_605_023,
        2_590_590_015,
        2_283_013_049_u32,
    ]
    .map(|step| point.wrapping_mul(step).wrapping_add(1 << 31))
}

#[cfg(not(emulated))]
#[cfg(test)]
mod tests;
