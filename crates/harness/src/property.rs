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

#[test]
fn two_runs_draw_the_same() {
    use std::cell::RefCell;

    use proptest::prelude::any;
    use proptest::test_runner::TestRunner;

    let drawn = || {
        let all = RefCell::new(Vec::new());
        let draw = |value: u64| {
            all.borrow_mut().push(value);
            Ok(())
        };
        TestRunner::new(config())
            .run(&any::<u64>(), draw)
            .expect("no case fails");
        all.into_inner()
    };
    assert_eq!(drawn(), drawn());
}
