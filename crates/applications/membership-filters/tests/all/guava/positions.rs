//! The positions of Guava's strategies, computed a second time.

use membership_filters::guava::Strategy;
use membership_filters::{Hash128, Modulus};
use proptest::prelude::*;

/// Computes Guava's strategies in wider integers.
fn positions(strategy: Strategy, hash: Hash128, probes: u32, bits: u64) -> Vec<u64> {
    let wide = |i: u32| match strategy {
        Strategy::Murmur128Mitz64 => {
            (u128::from(hash.h1) + u128::from(i) * u128::from(hash.h2)) % (1 << 63) % u128::from(bits)
        }
        _ => {
            let (low, high) = (hash.h1 & 0xffff_ffff, hash.h1 >> 32);
            let sum = (low + (u64::from(i) + 1) * high) & 0xffff_ffff;
            let folded = if sum >> 31 == 1 { 0xffff_ffff - sum } else { sum };
            u128::from(folded) % u128::from(bits)
        }
    };
    (0..probes).map(|i| u64::try_from(wide(i)).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn positions_are_those_of_wide_arithmetic(
        strategy in prop_oneof![Just(Strategy::Murmur128Mitz32), Just(Strategy::Murmur128Mitz64)],
        h1: u64,
        h2: u64,
        probes in 0..=255_u32,
        modulus in 1..=i64::MAX as u64,
        narrow in 0_u32..63,
    ) {
        let (hash, modulus) = (Hash128 { h1, h2 }, (modulus >> narrow).max(1));
        let found: Vec<u64> = strategy.positions(hash, probes, Modulus::new(modulus).unwrap());
        prop_assert_eq!(found, positions(strategy, hash, probes, modulus));
    }
}
