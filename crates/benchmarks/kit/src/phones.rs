//! Phone numbers: a seeded permutation of all numbers of eleven digits that begin with 1.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// The number of phone numbers.
pub const NUMBERS: u64 = 10_000_000_000;
/// Digits of a phone number.
pub const DIGITS: usize = 11;

/// Bits of half a block of the permutation: 34 bits are the fewest that hold [`NUMBERS`].
const HALF: u32 = 17;
const ROUNDS: usize = 6;

/// A seeded order of all phone numbers.
#[derive(Debug, Clone)]
pub struct Phones {
    rounds: [u64; ROUNDS],
}

impl Phones {
    /// Builds the order for a seed.
    pub fn new(seed: u64) -> Self {
        let mut random = SplitMix64::seed_from_u64(seed);
        Self {
            rounds: [(); ROUNDS].map(|()| random.next_u64()),
        }
    }

    /// Returns the number at `index`, which is below [`NUMBERS`]. Different indexes have different numbers.
    pub fn number(&self, index: u64) -> u64 {
        let mut place = index;
        loop {
            place = self.permute(place);
            // Cycle walking: a value out of range is permuted again until it is back in range.
            if place < NUMBERS {
                return NUMBERS + place;
            }
        }
    }

    /// A Feistel network over 34 bits.
    fn permute(&self, block: u64) -> u64 {
        let mask = (1 << HALF) - 1;
        let (mut left, mut right) = (block >> HALF, block & mask);
        for round in self.rounds {
            let mixed = SplitMix64::seed_from_u64(round.wrapping_add(right)).next_u64() >> (64 - HALF);
            (left, right) = (right, left ^ mixed);
        }
        left << HALF | right
    }
}

/// Returns the decimal digits of a phone number.
pub fn digits(mut number: u64) -> [u8; DIGITS] {
    let mut digits = [b'0'; DIGITS];
    for place in digits.iter_mut().rev() {
        // The remainder is below 10.
        *place += (number % 10) as u8;
        number /= 10;
    }
    digits
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn numbers_have_eleven_digits_and_differ() {
        let phones = Phones::new(1);
        let numbers: HashSet<u64> = (0..100_000).map(|index| phones.number(index)).collect();
        assert_eq!(numbers.len(), 100_000);
        assert!(
            numbers
                .iter()
                .all(|number| (NUMBERS..2 * NUMBERS).contains(number))
        );
        assert_ne!(Phones::new(2).number(0), phones.number(0));
    }

    #[test]
    fn the_network_is_a_permutation() {
        // The inverse of the network: the rounds in reverse order.
        let phones = Phones::new(7);
        let mask = (1 << HALF) - 1;
        for block in (0..1 << (2 * HALF)).step_by(1_234_567_891) {
            let out = phones.permute(block);
            let (mut left, mut right) = (out >> HALF, out & mask);
            for round in phones.rounds.iter().rev() {
                let mixed = SplitMix64::seed_from_u64(round.wrapping_add(left)).next_u64() >> (64 - HALF);
                (left, right) = (right ^ mixed, left);
            }
            assert_eq!(left << HALF | right, block);
        }
    }

    #[test]
    fn digits_are_those_of_the_number() {
        assert_eq!(&digits(10_000_000_000), b"10000000000");
        assert_eq!(&digits(19_876_543_210), b"19876543210");
    }
}
