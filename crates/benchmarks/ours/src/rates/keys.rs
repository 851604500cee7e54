//! An endless sequence of distinct keys: first the members, then absent keys.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;

/// Most digits of a 64-bit number.
const DIGITS: usize = 20;

/// A key: a number in decimal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    digits: [u8; DIGITS],
    /// Index of the first digit.
    from: usize,
}

impl Key {
    /// Formats `number` with at least `least` digits.
    pub(super) fn decimal(number: u64, least: usize) -> Self {
        let mut digits = [b'0'; DIGITS];
        let mut from = DIGITS;
        let mut rest = number;
        // Two digits at a time, because long divisions dominate the cost of a key.
        while rest >= 10 {
            let two = (rest % 100) as u8;
            rest /= 100;
            from -= 2;
            digits[from] = b'0' + two / 10;
            digits[from + 1] = b'0' + two % 10;
        }
        if rest > 0 {
            from -= 1;
            digits[from] = b'0' + rest as u8;
        }
        Self {
            digits,
            from: from.min(DIGITS - least),
        }
    }

    /// Returns the key.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.digits[self.from..]
    }
}

/// An endless iterator of keys.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    /// Set for consecutive numbers from 0, with sixteen digits each; other keys are outputs of SplitMix64 in decimal, as
    /// in the dataset `random-strings`. The generator returns each number once in its period of 2^64.
    is_in_a_row: bool,
    generator: SplitMix64,
    next: u64,
}

impl Keys {
    /// Starts with the first key. The seed is the generator's state; consecutive numbers ignore it.
    pub(super) fn new(is_in_a_row: bool, seed: u64) -> Self {
        Self {
            is_in_a_row,
            generator: SplitMix64::seed_from_u64(seed),
            next: 0,
        }
    }
}

impl Iterator for Keys {
    type Item = Key;

    fn next(&mut self) -> Option<Key> {
        if !self.is_in_a_row {
            return Some(Key::decimal(self.generator.next_u64(), 1));
        }
        let number = self.next;
        self.next += 1;
        Some(Key::decimal(number, 16))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hash_comparison::keys::Recipe;

    #[test]
    fn random_decimals_are_the_datasets() {
        let expected = Recipe::DecimalU64.keys(1, 1000);
        let keys: Vec<Key> = Keys::new(false, 1).take(1000).collect();
        assert!(keys.iter().map(Key::bytes).eq(expected.iter()));
    }

    #[test]
    fn numbers_have_all_their_digits() {
        let row: Vec<Vec<u8>> = Keys::new(true, 1)
            .take(11)
            .map(|key| key.bytes().to_vec())
            .collect();
        assert_eq!(row[0], b"0000000000000000");
        assert_eq!(row[10], b"0000000000000010");
        assert_eq!(Key::decimal(0, 1).bytes(), b"0");
        assert_eq!(Key::decimal(u64::MAX, 16).bytes(), b"18446744073709551615");
    }
}
