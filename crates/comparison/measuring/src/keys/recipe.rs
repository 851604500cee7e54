//! Keys drawn from a seed.

use std::collections::HashSet;

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;
use serde::{Deserialize, Serialize};

use crate::keys::KeySet;

/// The recipe for the keys of a generated dataset.
///
/// The generator is SplitMix64 (Steele, Lea and Flood 2014; <https://prng.di.unimi.it/splitmix64.c>) whose state is
/// the seed. Its values are the same for ever and on every platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub enum Recipe {
    /// Each 64-bit output in decimal. SplitMix64 gives each value once in its period of 2^64, so no key repeats.
    #[serde(rename = "decimal-u64")]
    DecimalU64,
    /// `1 + floor(output * 999999999 / 2^64)` in decimal, a number drawn before being skipped.
    #[serde(rename = "distinct-below-1e9")]
    DistinctBelow1e9,
}

/// The number of distinct keys of [`Recipe::DistinctBelow1e9`].
const IDS: u64 = 999_999_999;

impl Recipe {
    /// Returns the first `count` keys from `seed`, in the order drawn.
    ///
    /// # Panics
    ///
    /// Panics if `count` is more than the recipe has keys, or than a [`KeySet`] holds.
    pub fn keys(self, seed: u64, count: usize) -> KeySet {
        self.keys_after(seed, 0, count)
    }

    /// Returns the `absent` keys that follow the first `present` keys of the same drawing.
    ///
    /// The keys are distinct, and none is among the first `present`.
    ///
    /// # Panics
    ///
    /// Panics if both together are more than the recipe has keys, or than a [`KeySet`] holds.
    pub fn keys_after(self, seed: u64, present: usize, absent: usize) -> KeySet {
        let numbers = self.draw(seed, present + absent).skip(present);
        numbers.map(|number| number.to_string()).collect()
    }

    /// Draws `count` distinct numbers.
    fn draw(self, seed: u64, count: usize) -> impl Iterator<Item = u64> {
        assert!(
            self == Self::DecimalU64 || count as u64 <= IDS,
            "{count} distinct ids of {IDS}"
        );
        let mut generator = SplitMix64::seed_from_u64(seed);
        let mut drawn = HashSet::new();
        let next = move || match self {
            Self::DecimalU64 => generator.next_u64(),
            Self::DistinctBelow1e9 => loop {
                let product = u128::from(generator.next_u64()) * u128::from(IDS);
                let id = 1 + (product >> 64) as u32;
                if drawn.insert(id) {
                    break u64::from(id);
                }
            },
        };
        std::iter::repeat_with(next).take(count)
    }
}
