//! Random numbers with a configurable seed.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The environment variable of the seed, into which each test's name is mixed.
const SEED: &str = "GUAVA_BLOOM_SEED";
/// The environment variable that multiplies the number of cases.
const TIMES: &str = "GUAVA_BLOOM_TIMES";

/// The random generator of a test.
pub(crate) struct Random(SplitMix64);

impl Random {
    /// Creates the generator of a test, and prints the seed, which is shown if the test fails.
    pub(crate) fn of(test: &str) -> Self {
        let seed = variable(SEED, 1);
        println!("{SEED}={seed}");
        let name = test
            .bytes()
            .fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        Self(SplitMix64::seed_from_u64(seed ^ name << 32))
    }

    pub(crate) fn u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a number below `bound`. The bias is below 2^-32 for the bounds in these tests, and does not matter.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.u64() % bound as u64) as usize
    }

    /// Draws a number from 0 to below 1.
    pub(crate) fn share(&mut self) -> f64 {
        (self.u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws a power of two with a uniformly distributed exponent.
    pub(crate) fn power(&mut self, low: f64, high: f64) -> f64 {
        libm::exp2(low + self.share() * (high - low))
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Returns the number of cases, `count` unless multiplied.
pub(crate) fn cases(count: usize) -> usize {
    count * variable(TIMES, 1) as usize
}

fn variable(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is {text:?}, not a whole number")),
        Err(_) => default,
    }
}
