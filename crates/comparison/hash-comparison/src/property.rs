//! The configuration of property tests, and the committed run.

use std::path::Path;

use proptest::test_runner::{Config, RngAlgorithm, RngSeed};

use crate::questions::Records;

/// Returns a configuration with the same cases in every run, which writes no file of failures.
pub(crate) fn config() -> Config {
    Config {
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    }
}

/// Reads the committed run, without its largest records.
pub(crate) fn committed() -> Records {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../reports/reference");
    Records::read_kept(&folder).unwrap()
}
