//! Tests random keys and seeds against other implementations.

use hashzoo::{MURMUR2_SEED, Murmur3X64_128, murmur2, murmur3_x64_128, xxh3_64};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, RngSeed};

/// Configures 1,000 cases, the same in every run.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 1000,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..=300)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn murmur2_equals_the_crate_murmur2(key in key(), seed: u32) {
        for seed in [MURMUR2_SEED, 0, 0x9747_b28c, u32::MAX, seed] {
            prop_assert_eq!(murmur2(&key, seed), ::murmur2::murmur2(&key, seed));
        }
    }

    #[test]
    fn murmur3_equals_the_crate_murmur3_in_one_piece_and_in_many(key in key(), pieces in vec(1..40_usize, 1..20), seed: u32) {
        let (h1, h2) = murmur3_x64_128(&key, seed);
        let theirs = ::murmur3::murmur3_x64_128(&mut key.as_slice(), seed).unwrap();
        prop_assert_eq!(u128::from(h1) | u128::from(h2) << 64, theirs);

        let mut state = Murmur3X64_128::new(seed);
        let mut rest = key.as_slice();
        for len in pieces.into_iter().cycle() {
            let (piece, after) = rest.split_at(len.min(rest.len()));
            state.update(piece);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(state.finish(), (h1, h2));
    }

    #[test]
    fn xxh3_equals_the_crate_xxhash_rust(key in vec(any::<u8>(), 0..=300), long in vec(any::<u8>(), 0..=2300), seed: u64) {
        for key in [key, long] {
            prop_assert_eq!(xxh3_64(&key, seed), xxhash_rust::xxh3::xxh3_64_with_seed(&key, seed));
            prop_assert_eq!(xxh3_64(&key, 0), xxhash_rust::xxh3::xxh3_64(&key));
        }
    }
}
