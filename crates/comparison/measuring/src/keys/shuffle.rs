//! A shuffle whose results never change.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Returns the numbers 0 to `count - 1` in an order drawn from `seed`.
///
/// The shuffle is Fisher-Yates with ChaCha8 (`rand_chacha::ChaCha8Rng::seed_from_u64`, whose values are promised not to
/// change). The bounded draw is our own, since `rand` does not promise stable shuffles: the high half of a 64-bit
/// output times the bound, with outputs that would favour some results drawn again (Lemire 2019,
/// <https://doi.org/10.1145/3230636>). Every order is equally likely as far as 64 bits of seed reach.
pub fn shuffled(count: u32, seed: u64) -> Vec<u32> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let mut order: Vec<u32> = (0..count).collect();
    for last in (1..order.len()).rev() {
        let other = below(&mut generator, last as u64 + 1) as usize;
        order.swap(last, other);
    }
    order
}

/// Returns a number below `bound`, which must not be zero; all numbers are equally likely.
fn below(generator: &mut ChaCha8Rng, bound: u64) -> u64 {
    loop {
        let product = u128::from(generator.next_u64()) * u128::from(bound);
        // Rejects 2^64 mod bound of the 2^64 outputs: those with the least low half.
        if product as u64 >= bound.wrapping_neg() % bound {
            return (product >> 64) as u64;
        }
    }
}
