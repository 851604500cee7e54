//! The keys: strings of 16 hexadecimal digits, numbers of SplitMix64.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// Keys in the filter that is asked.
pub(crate) const MEMBERS: u64 = 1;
/// Keys that no filter has.
pub(crate) const STRANGERS: u64 = 2;
/// Keys that are inserted; each round takes the next seed.
pub(crate) const NEWCOMERS: u64 = 1_000;
/// Words of filters that are only downloaded.
pub(crate) const WORDS: u64 = 3;

/// The first keys of a seed.
pub(crate) fn keys(seed: u64, count: usize) -> Vec<String> {
    let mut random = SplitMix64::seed_from_u64(seed);
    (0..count)
        .map(|_| format!("{:016x}", random.next_u64()))
        .collect()
}

/// Words of which every bit is 1 in half of all cases, as in a full filter.
pub(crate) fn words(bits: u64) -> Vec<u64> {
    let mut random = SplitMix64::seed_from_u64(WORDS);
    (0..bits / 64).map(|_| random.next_u64()).collect()
}
