//! Random numbers of a seed that can be chosen, for more cases than the fixed ones.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Names the seed; each test's name is mixed in.
const SEED: &str = "GUAVA_BLOOM_SEED";
/// Multiplies the number of cases.
const TIMES: &str = "GUAVA_BLOOM_TIMES";

/// Where the cases of a test come from.
pub(crate) struct Random(SplitMix64);

impl Random {
    /// The generator of a test. The seed is printed, which is seen when the test fails.
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

    /// A number below `bound`; the bias, below 2^-32 for the bounds here, does not matter.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.u64() % bound as u64) as usize
    }

    /// From 0 to below 1.
    pub(crate) fn share(&mut self) -> f64 {
        (self.u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A power of two whose exponent is evenly distributed.
    pub(crate) fn power(&mut self, low: f64, high: f64) -> f64 {
        libm::exp2(low + self.share() * (high - low))
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// How many cases a test runs that usually runs `count`.
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
