//! How often windows, avalanche and independence call a hash bad that nothing is wrong with: as often as they say.

use std::cell::Cell;

use harness::functions::{self, Function};
use harness::measure::false_positives::Ideal;
use harness::measure::mixing::{self, Effort};
use harness::measure::windows;
use harness::record::{MixingRow, MixingTest, WindowEnd};
use harness::stats::correction::FAMILY_LEVEL;

/// Each is a run of one function.
const SEEDS: u64 = 200;

thread_local! {
    static SEED: Cell<u64> = const { Cell::new(0) };
}

/// SipHash-2-4 under a key drawn from the seed of the thread.
fn keyed() -> Function {
    Function {
        hash: |key| u64::from(Ideal::drawn(SEED.get(), 1).hash(key)),
        output_bits: 32,
        ..*functions::find("CRC-32").expect("a registered function")
    }
}

/// Four standard deviations of a count of `trials` events of probability `p` above its mean.
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
    let mut accusing = 0;
    let mut all: Vec<MixingRow> = Vec::new();
    for seed in 0..SEEDS {
        SEED.set(seed);
        // Other keys each time: the test has luck with its keys, too.
        let mut rows = mixing::measure(&function, seed, effort).rows;
        mixing::judge(&mut rows);
        accusing += u64::from(rows.iter().any(|row| row.p_adjusted < FAMILY_LEVEL));
        all.extend(rows);
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
            // Nor are they called good too easily: the sum is continuous enough for both ends.
            let lowest = 2.0 * count as f64 * level - most(count, level);
            assert!(overall >= lowest, "{test:?} {level}: {overall}");
        }
        let mean = of_test()
            .map(|row| row.chi_square / row.cells as f64)
            .sum::<f64>()
            / count as f64;
        assert!((mean - 1.0).abs() < 0.005, "{test:?}: {mean}");
    }
    println!("{accusing} of {SEEDS} runs of one function accuse, stated: 1 in 100");
    assert!(
        accusing as f64 <= most(SEEDS, FAMILY_LEVEL),
        "{accusing} of {SEEDS}"
    );
}

#[test]
fn windows_collide_as_often_as_they_say() {
    let function = keyed();
    let keys: Vec<Vec<u8>> = (0..3000)
        .map(|index| format!("user-{index}").into_bytes())
        .collect();
    let (mut accusing, mut below, mut count) = (0, 0, 0);
    let mut sums = [(0.0, 0.0); 2];
    for seed in 0..SEEDS {
        SEED.set(seed);
        let values: Vec<u64> = keys.iter().map(|key| (function.hash)(key)).collect();
        let mut rows = windows::measure("ids", &function, &values);
        windows::judge(&mut rows);
        accusing += u64::from(rows.iter().any(|row| row.p_adjusted < FAMILY_LEVEL));
        below += rows.iter().filter(|row| row.p_value < FAMILY_LEVEL).count() as u64;
        count += rows.len() as u64;
        for (sum, end) in sums.iter_mut().zip([WindowEnd::Low, WindowEnd::High]) {
            for row in rows.iter().filter(|row| row.end == end && row.bits == 16) {
                sum.0 += row.collisions as f64;
                sum.1 += row.expected;
            }
        }
    }
    // Windows lie inside each other, so their number says little of how far the share may stray; whole counts have
    // tails below the level.
    let share = below as f64 / count as f64;
    println!("{below} of {count} windows are below 0.01, a share of {share:.4}");
    assert!((0.002..0.02).contains(&share), "{share}");
    println!("{accusing} of {SEEDS} runs of one function accuse, stated: 1 in 100");
    assert!(
        accusing as f64 <= most(SEEDS, FAMILY_LEVEL),
        "{accusing} of {SEEDS}"
    );
    for (collisions, expected) in sums {
        assert!(
            (collisions - expected).abs() < 4.0 * expected.sqrt(),
            "{collisions} {expected}"
        );
    }
}
