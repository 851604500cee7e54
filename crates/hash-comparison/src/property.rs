//! How property tests draw their cases.

use proptest::test_runner::{Config, RngAlgorithm, RngSeed};

/// The same cases in every run; a failure is told, and no file is written.
pub(crate) fn config() -> Config {
    Config {
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    }
}
