//! Random keys and bytes for tests against the engines.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// A source of random keys and choices.
pub(crate) struct Source(SplitMix64);

impl Source {
    /// Starts the sequence of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// Draws a number below a limit, which is not 0.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0.next_u64() % limit
    }

    /// Draws an index of a slice of length `len`, which is not 0.
    pub(crate) fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// Draws a number from 0 to below 1.
    pub(crate) fn share(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws bytes.
    pub(crate) fn bytes(&mut self, len: u64) -> Vec<u8> {
        (0..len).map(|_| self.0.next_u64() as u8).collect()
    }

    /// Draws a key, mostly of up to 40 bytes; some are empty, some have up to 300 bytes.
    pub(crate) fn key(&mut self) -> Vec<u8> {
        let len = match self.below(20) {
            0 => 0,
            1 => self.below(301),
            _ => self.below(41),
        };
        self.bytes(len)
    }

    /// Draws keys, some of which are repeated, at once or later.
    pub(crate) fn keys(&mut self, count: u64) -> Vec<Vec<u8>> {
        let mut keys: Vec<Vec<u8>> = Vec::new();
        for _ in 0..count {
            let key = match (keys.last(), self.below(40)) {
                (Some(last), 0) => last.clone(),
                (Some(_), 1) => keys[self.index(keys.len())].clone(),
                _ => self.key(),
            };
            keys.push(key);
        }
        keys
    }
}
