//! False-alarm rate of the tests of windows, avalanche and independence in cases that the calibration does not cover:
//! other levels, a function of 32 bits, few keys, and new random keys each time.

use std::cell::Cell;

use hash_comparison::functions::{self, Function};
use hash_comparison::questions::filters::Ideal;
use hash_comparison::questions::mixing::{self, Effort};
use hash_comparison::questions::{MixingRow, MixingTest, windows};
use hash_comparison::values::Hashed;

const SEEDS: u64 = 200;

thread_local! {
    /// Drawn once per seed, since drawing takes longer than hashing many keys.
    static HASH: Cell<Ideal> = Cell::new(Ideal::drawn(0, 1));
}

/// Sets the hash of this thread to that of `seed`.
fn seeded(seed: u64) {
    HASH.set(Ideal::drawn(seed, 1));
}

/// Returns SipHash-2-4 under a key drawn from the seed of this thread.
fn keyed() -> Function {
    Function {
        hash: |key| u64::from(HASH.get().hash(key)),
        output_bits: 32,
        ..*functions::find("CRC-32").expect("a registered function")
    }
}

/// Returns the mean plus four standard deviations of a count of `trials` events of probability `p`.
fn most(trials: u64, p: f64) -> f64 {
    let mean = trials as f64 * p;
    mean + 4.0 * (mean * (1.0 - p)).sqrt()
}

#[test]
fn avalanche_and_independence_are_off_as_often_as_they_say() {
    let function = keyed();
    let effort = Effort {
        key_bytes: &[4, 8],
        blocks: 4,
    };
    let mut all: Vec<MixingRow> = Vec::new();
    for seed in 0..SEEDS {
        seeded(seed);
        // New keys each time, since the test also depends on the luck of its keys.
        all.extend(mixing::measure(&function, seed, effort).rows);
    }
    for test in [MixingTest::Avalanche, MixingTest::Independence] {
        let of_test = || all.iter().filter(|row| row.test == test);
        let count = of_test().count() as u64;
        assert_eq!(count, 2 * SEEDS);
        for level in [0.01, 0.1, 0.5] {
            let below = |p: fn(&MixingRow) -> f64| of_test().filter(|row| p(row) < level).count() as f64;
            let (overall, worst) = (below(|row| row.p_overall), below(|row| row.p_worst));
            println!(
                "{test:?}: of {count} rows {overall} are below {level} in all, {worst} by the worst cell"
            );
            assert!(overall <= most(count, level), "{test:?} {level}: {overall}");
            assert!(worst <= most(count, level), "{test:?} {level}: {worst}");
            // The test is not too lenient either: the sum is continuous enough for a lower bound.
            let lowest = 2.0 * count as f64 * level - most(count, level);
            assert!(overall >= lowest, "{test:?} {level}: {overall}");
        }
        let mean = of_test()
            .map(|row| row.chi_square / row.cells as f64)
            .sum::<f64>()
            / count as f64;
        assert!((mean - 1.0).abs() < 0.005, "{test:?}: {mean}");
    }
}

#[test]
fn windows_collide_as_often_as_they_say() {
    let function = keyed();
    let keys: Vec<Vec<u8>> = (0..3000)
        .map(|index| format!("user-{index}").into_bytes())
        .collect();
    let runs: Vec<_> = (0..SEEDS)
        .map(|seed| {
            seeded(seed);
            let values: Vec<u64> = keys.iter().map(|key| (function.hash)(key)).collect();
            windows::measure("ids", &Hashed::of_values(&function, values))
        })
        .collect();
    // Counts are whole numbers, so their tails stay below the level, but not far below if many counts are likely.
    for level in [0.01, 0.1, 0.5] {
        for (index, window) in runs[0].iter().enumerate() {
            let below = runs.iter().filter(|rows| rows[index].p_value < level).count() as f64;
            let (end, bits) = (window.end, window.bits);
            assert!(below <= most(SEEDS, level), "{end:?} {bits}, {level}: {below}");
            if (12..=18).contains(&bits) {
                let least = 0.8 * (2.0 * SEEDS as f64 * level - most(SEEDS, level));
                assert!(below >= least, "{end:?} {bits}, {level}: {below}");
            }
        }
    }
}
