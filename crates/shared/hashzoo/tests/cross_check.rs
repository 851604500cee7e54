//! Tests random keys and seeds against another implementation: long keys take steps that no recorded value takes.

use hashzoo::{adler32, xxh3_64};
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

proptest! {
    #![proptest_config(config())]

    #[test]
    fn xxh3_equals_the_crate_xxhash_rust(key in vec(any::<u8>(), 0..=300), long in vec(any::<u8>(), 0..=2300), seed: u64) {
        for key in [key, long] {
            prop_assert_eq!(xxh3_64(&key, seed), xxhash_rust::xxh3::xxh3_64_with_seed(&key, seed));
            prop_assert_eq!(xxh3_64(&key, 0), xxhash_rust::xxh3::xxh3_64(&key));
        }
    }

    /// From 5,552 bytes on the sums are reduced in between.
    #[test]
    fn adler32_equals_the_crate_adler2(key in vec(any::<u8>(), 0..=300), byte: u8, len in 5000..20_000_usize) {
        for key in [key, vec![byte; len]] {
            prop_assert_eq!(adler32(&key), adler2::adler32_slice(&key));
        }
    }
}
