//! Random choices.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

pub(crate) struct Source(SplitMix64);

impl Source {
    /// Starts the sequence of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// Draws any number.
    pub(crate) fn u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws an index of a slice of length `len`, which is not 0.
    pub(crate) fn index(&mut self, len: usize) -> usize {
        (self.u64() % len as u64) as usize
    }

    /// Draws an element of a slice, which is not empty.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.index(from.len())]
    }

    /// Draws a power of two with a uniformly distributed exponent.
    pub(crate) fn power(&mut self, low: f64, high: f64) -> f64 {
        let share = (self.u64() >> 11) as f64 / (1_u64 << 53) as f64;
        (low + share * (high - low)).exp2()
    }
}
