//! The number of output bits that count: those that never change, or repeat others, distinguish no keys.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;

use super::Different;
use crate::keys::KeySet;
use crate::record::End;
use statistics::collisions::CollisionLaw;

/// Keys of the sample: of a random function of 32 bits, about eight of their values are equal to others.
const KEYS: u64 = 1 << 18;
/// The first values of the sample, of which the rank is computed.
const RANKED: usize = 1 << 12;
/// Below this probability, equal values are not chance.
const CERTAIN: f64 = 1e-6;

/// Returns the keys of the sample: 8 to 23 random bytes, always the same. On keys that are alike, a linear function such as CRC-64
/// has few bits that change, and distinguishes the keys all the same.
pub fn sample() -> KeySet {
    let mut generator = SplitMix64::seed_from_u64(1);
    let key = |index| {
        let words = [(); 3].map(|()| generator.next_u64().to_le_bytes());
        words.as_flattened()[..8 + index as usize % 16].to_vec()
    };
    (0..KEYS).map(key).collect()
}

/// Returns the number of bits that count, given a value of `bits` bits for each key of the [`sample`].
///
/// It is the dimension of the smallest affine space over GF(2) with all values: a bit that never changes, and a bit that is the
/// XOR of others or its complement, adds no dimension, wherever it is. Bits that repeat others in another way, such as a product
/// with a constant, show by equal values: then it is the number of bits with which a random function has as many.
pub fn effective_bits(values: &[u64], bits: u32) -> u32 {
    let mut basis: Vec<u64> = Vec::new();
    for value in values.iter().take(RANKED) {
        let reduced = basis
            .iter()
            .fold(value ^ values[0], |rest, row| rest.min(rest ^ row));
        basis.extend((reduced != 0).then_some(reduced));
    }
    let (rank, keys) = (basis.len() as u32, values.len() as u64);
    let equal = keys - Different::of(values, bits).at(End::Full, bits);
    let law = |bits: u32| CollisionLaw::new(keys, bits);
    if equal as f64 <= law(rank.max(1)).expected() || law(rank.max(1)).two_sided_p(equal) >= CERTAIN {
        return rank;
    }
    // Half a bit is rounded.
    let explains = |bits: &u32| law(*bits).expected() * core::f64::consts::SQRT_2 >= equal as f64;
    (1..rank).rev().find(explains).unwrap_or(rank)
}
