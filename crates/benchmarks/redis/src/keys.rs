//! The keys: numbers from SplitMix64 as strings of 16 hexadecimal digits.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// Seed of the stored keys.
pub(crate) const MEMBERS: u64 = 1;
/// Seed of the absent keys.
pub(crate) const STRANGERS: u64 = 2;
/// First seed of the inserted keys; each round takes the next seed.
pub(crate) const NEWCOMERS: u64 = 1_000;
/// Seed of the words of filters that are only downloaded.
pub(crate) const WORDS: u64 = 3;

/// Returns the first keys of a seed.
pub(crate) fn keys(seed: u64, count: usize) -> Vec<String> {
    let mut random = SplitMix64::seed_from_u64(seed);
    (0..count)
        .map(|_| format!("{:016x}", random.next_u64()))
        .collect()
}

/// Returns random words in which each bit is 1 with probability one half, as in a full filter.
pub(crate) fn words(bits: u64) -> Vec<u64> {
    let mut random = SplitMix64::seed_from_u64(WORDS);
    (0..bits / 64).map(|_| random.next_u64()).collect()
}
