//! Hashes of keys.

use membership_filters::{Bytes, Hash128, Hashed};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// Random hashes of keys without names, always the same ones.
pub(crate) struct Hashes(SplitMix64);

impl Hashes {
    pub(crate) fn from_seed(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }
}

impl Iterator for Hashes {
    type Item = Hashed<Bytes>;

    fn next(&mut self) -> Option<Hashed<Bytes>> {
        let (h1, h2) = (self.0.next_u64(), self.0.next_u64());
        Some(Hashed::assume(Bytes, Hash128 { h1, h2 }))
    }
}
