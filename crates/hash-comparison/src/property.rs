//! The configuration of property tests.

use proptest::test_runner::{Config, RngAlgorithm, RngSeed};

/// Returns a configuration with the same cases in every run, which writes no file of failures.
pub(crate) fn config() -> Config {
    Config {
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    }
}
