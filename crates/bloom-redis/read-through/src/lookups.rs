//! What is looked up: a seeded stream of names, most of which exist nowhere.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// The name of account `index`.
pub fn name(index: u64) -> String {
    format!("user-{index:012}")
}

/// Names that exist are below this number.
const NAMES: u64 = 1_000_000_000_000;

/// Names to look up, without end.
#[derive(Debug)]
pub struct Lookups {
    random: SplitMix64,
    rows: u64,
    absent: f64,
}

impl Lookups {
    /// Of `rows` accounts, which have the numbers from 0; `absent` is the share of names that no account has, 0 to 1.
    /// Without accounts all names are absent.
    pub fn new(rows: u64, absent: f64, seed: u64) -> Self {
        Self {
            random: SplitMix64::seed_from_u64(seed),
            rows,
            absent: if rows == 0 { 1.0 } else { absent },
        }
    }

    /// A number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        let product = u128::from(self.random.next_u64()) * u128::from(bound);
        u64::try_from(product >> 64).unwrap_or(u64::MAX)
    }
}

impl Iterator for Lookups {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        // 53 bits, as many as a double has.
        let share = (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        Some(name(if share < self.absent {
            // Hardly ever the same twice: caching that a name is absent would not help.
            self.rows + self.below(NAMES - self.rows)
        } else {
            // Some accounts are asked for more often than others.
            let draws: [u64; 4] = std::array::from_fn(|_| self.below(self.rows));
            draws.into_iter().min().unwrap_or_default()
        }))
    }
}
