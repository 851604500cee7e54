//! The false-alarm rate of whole runs with few keys, which the calibration does not cover.

use std::cell::Cell;

use hash_comparison::advice::{findings, summarise};
use hash_comparison::functions::{self, Function};
use hash_comparison::keys::{Dataset, Recipe};
use hash_comparison::questions::filters::{Ideal, Probes};
use hash_comparison::questions::{Records, collisions};
use hash_comparison::record::{DatasetKind, FunctionSummary, Run, Verdict};
use hash_comparison::values::Hashed;

thread_local! {
    /// Drawn once per seed, since drawing takes longer than hashing many keys.
    static HASH: Cell<Ideal> = Cell::new(Ideal::drawn(0, 0));
}

/// Sets the ideal hash of this thread to that of `seed`.
fn seeded(seed: u64) {
    HASH.set(Ideal::drawn(seed, 0));
}

/// Returns a function with the values of the thread's ideal hash.
fn keyed() -> Function {
    Function {
        hash: |key| u64::from(HASH.get().hash(key)),
        output_bits: 32,
        ..*functions::find("CRC-32").expect("a registered function")
    }
}

fn dataset(count: usize) -> Dataset {
    Dataset::of("ids", Recipe::DistinctBelow1e9.keys(1, count))
}

/// Counts the comparisons, of `runs` with `functions` ideal hashes each, in which collisions or false positives make
/// some hash appear worse than chance.
fn accusing_runs(dataset: &Dataset, runs: u64, functions: u64) -> u32 {
    let function = keyed();
    let probes = Probes::new(dataset);
    let ideal = probes.sizes_ideal();
    let mut accusing = 0;
    // The seeds start far from the seed of the dataset's ideal hashes.
    for first in (1000..).step_by(functions as usize).take(runs as usize) {
        let mut records = Records::of(Run {
            datasets: vec![summarise(dataset)],
            ..Run::default()
        });
        records.near_sizes.clone_from(&ideal);
        for seed in first..first + functions {
            seeded(seed);
            let hashed = Hashed::new(&dataset.keys, &function);
            let name = seed.to_string();
            let mut rows = collisions::measure(dataset, &hashed, collisions::low(function.output_bits));
            rows.iter_mut().for_each(|row| row.function.clone_from(&name));
            records.collisions.extend(rows);
            let rows = probes.sizes(&name, &probes.values(&hashed));
            records.near_sizes.extend(rows);
            let summary = function.summary();
            records.run.functions.push(FunctionSummary { name, ..summary });
        }
        collisions::judge(&mut records.collisions);
        let findings = findings::judge(&records);
        accusing += u32::from(
            findings
                .iter()
                .any(|finding| finding.verdict > Verdict::WithinChance),
        );
    }
    accusing
}

#[test]
fn an_ideal_hash_is_not_worse_than_the_ideal_hash() {
    // With few keys and many probes, the luck of a single filter matters most.
    let mut dataset = dataset(4000);
    dataset.recipe = Some(Recipe::DistinctBelow1e9);
    dataset.kind = DatasetKind::Generated;
    let accusing = accusing_runs(&dataset, 25, 1);
    // At most 2 % of runs have a false alarm; three or more of 25 would occur once in seventy tests.
    assert!(accusing <= 2, "{accusing} of 25 runs accuse");
}

/// With few keys, false positives of two-fold filters are rare and come in pairs.
#[test]
fn an_ideal_hash_is_not_worse_on_few_keys() {
    for (count, runs) in [(2, 600), (20, 100), (102, 100)] {
        let accusing = accusing_runs(&dataset(count), runs, 20);
        // Collisions and false positives may each fail one run in a hundred; allow three standard deviations more.
        let mean = 0.02 * runs as f64;
        assert!(
            f64::from(accusing) <= mean + 3.0 * mean.sqrt(),
            "{count} keys: {accusing} of {runs} runs accuse"
        );
    }
}
