//! Keys and hash values, always the same for a seed, and filters of keys.

use filter_policy::FilterPolicy;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

pub(crate) fn random_hashes(seed: u64, count: usize) -> Vec<u64> {
    let mut random = SplitMix64::seed_from_u64(seed);
    (0..count).map(|_| random.next_u64()).collect()
}

pub(crate) fn slices(keys: &[impl AsRef<[u8]>]) -> Vec<&[u8]> {
    keys.iter().map(AsRef::as_ref).collect()
}

/// Returns the filter of these keys.
pub(crate) fn filter_of(policy: &dyn FilterPolicy, keys: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let mut filter = Vec::new();
    policy.append_filter(&slices(keys), &mut filter).unwrap();
    filter
}
