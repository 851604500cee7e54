//! Inputs that several tests share: the configuration of property tests, and the committed run.

use std::path::Path;

use hash_comparison::questions::Records;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed};

/// Returns a configuration with the same cases in every run, which writes no file of failures.
pub(super) fn config() -> Config {
    Config {
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    }
}

/// Reads the committed run, without its largest records.
pub(super) fn committed() -> Records {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../reports/reference");
    Records::read_kept(&folder).unwrap()
}
