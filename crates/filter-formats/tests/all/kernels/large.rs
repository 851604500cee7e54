//! Filters that are larger than caches, whose bits are prefetched.

use filter_policy::hashers::{LevelDbHash, Murmur2};
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, FilterPolicy, HashedPolicy};

use super::TEN;
use crate::support::layouts::{
    Bloom64, FastLocal, Layout, LevelDb, SplitBlock, answer, filter, number, value,
};
use crate::support::random::random_hashes;
use crate::support::ways::check_many;

/// Builds filters from the first keys and from their hash values, and queries them for present and absent ones. The filters
/// are so large that bits are prefetched while they are set and queried.
fn beyond_the_cache<L: Layout>(layout: L, bits_per_key: BitsPerKey, counts: &[usize]) {
    type Hash<L> = <<L as Layout>::Policy as HashedPolicy>::Hash;
    let most = counts.iter().max().copied().unwrap_or_default();
    let keys: Vec<[u8; 16]> = (0..most as u128).map(u128::to_be_bytes).collect();
    let scalar = layout.policy(bits_per_key, Kernel::Scalar);
    let hashes: Vec<Hash<L>> = keys.iter().map(|key| scalar.hash_key(key)).collect();
    let numbers: Vec<u64> = hashes.iter().map(|&hash| number(hash)).collect();
    let absent: Vec<Hash<L>> = random_hashes(11, 1000).into_iter().map(value).collect();
    for &count in counts {
        let (expected, probes) = filter(layout, bits_per_key, &numbers[..count]);
        let of_absent = absent
            .iter()
            .map(|&hash| answer(layout, &expected, probes, number(hash)));
        let of_absent: Vec<bool> = of_absent.collect();
        for kernel in Kernel::available() {
            let policy = layout.policy(bits_per_key, kernel);
            let at = format!("{policy:?}, {count} keys");
            let mut room = vec![0xa5; expected.len()];
            let values = hashes[..count].iter().copied();
            assert!(
                policy.build_hashes_in(values, &mut room).unwrap() == expected,
                "{at}"
            );
            assert!(
                policy.build_batch_in(&keys[..count], &mut room).unwrap() == expected,
                "{at}"
            );
            let prepared = policy.prepare(&expected);
            check_many(&at, &of_absent, &|answers| {
                prepared.may_match_hashes(&absent, answers)
            });
            let present = vec![true; count];
            check_many(&at, &present, &|answers| {
                prepared.may_match_hashes(&hashes[..count], answers)
            });
            check_many(&at, &present, &|answers| {
                prepared.may_match_many(&keys[..count], answers)
            });
        }
    }
}

/// Few keys make large filters if each has many bits.
#[test]
fn filters_beyond_the_cache() {
    let (many, hundred) = (BitsPerKey::whole(10_000), BitsPerKey::whole(100));
    let counts = [3_361, 3_391, 3_400, 3_407];
    beyond_the_cache(LevelDb(LevelDbHash), many, &counts);
    beyond_the_cache(LevelDb(Murmur2::new()), many, &counts);
    // These formats end at 100 bits, or prefetch in filters of 1 MiB too.
    let counts = [84_001, 84_031, 84_040, 84_047];
    beyond_the_cache(FastLocal, hundred, &counts);
    beyond_the_cache(SplitBlock { xxph3: false }, hundred, &counts);
    beyond_the_cache(SplitBlock { xxph3: true }, hundred, &counts);
    beyond_the_cache(Bloom64, hundred, &[335_600, 335_663]);
}

/// The probe count of 10 bits has loops of its own, so these filters are large by their many keys.
#[test]
fn filters_of_millions_of_keys() {
    beyond_the_cache(LevelDb(LevelDbHash), TEN, &[3_360_015]);
    beyond_the_cache(Bloom64, TEN, &[3_360_015]);
    // From 1 MiB on.
    beyond_the_cache(FastLocal, TEN, &[840_015]);
}
