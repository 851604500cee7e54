//! Random keys and hash values, always the same for a seed.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

pub(crate) fn random_keys(seed: u64, count: usize, len: impl Fn(usize) -> usize) -> Vec<Vec<u8>> {
    let mut random = SplitMix64::seed_from_u64(seed);
    let mut key = |len| {
        let mut key = vec![0; len];
        random.fill_bytes(&mut key);
        key
    };
    (0..count).map(|i| key(len(i))).collect()
}

pub(crate) fn random_hashes(seed: u64, count: usize) -> Vec<u64> {
    let mut random = SplitMix64::seed_from_u64(seed);
    (0..count).map(|_| random.next_u64()).collect()
}

pub(crate) fn slices(keys: &[impl AsRef<[u8]>]) -> Vec<&[u8]> {
    keys.iter().map(AsRef::as_ref).collect()
}
