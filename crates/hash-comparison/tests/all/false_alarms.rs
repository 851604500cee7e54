//! The false-alarm rate of the tests on an ideal hash is the rate that the p-values state.

use std::cell::Cell;

use hash_comparison::advice::{findings, summarise};
use hash_comparison::functions::{self, Function};
use hash_comparison::keys::{Dataset, Recipe};
use hash_comparison::questions::filters::{Ideal, Probes};
use hash_comparison::questions::{DistributionKind, Records, collisions, distribution};
use hash_comparison::record::{DatasetKind, FunctionSummary, Run, Verdict};
use hash_comparison::values::Hashed;
use statistics::collisions::CollisionLaw;

const SEEDS: u64 = 400;

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
    Dataset {
        name: "ids".to_owned(),
        kind: DatasetKind::File,
        source: String::new(),
        keys: Recipe::DistinctBelow1e9.keys(1, count),
        sha256: String::new(),
        duplicates_dropped: 0,
        seed: 1,
        recipe: None,
    }
}

/// Returns the limit of the share of p-values below 0.01: 0.01 plus four standard deviations of a binomial share.
fn highest_share(trials: u64) -> f64 {
    0.01 + 4.0 * (0.01 * 0.99 / trials as f64).sqrt()
}

/// Returns the probability of a p-value below 0.01. Counts are whole numbers, so it is rarely exactly 0.01.
fn level(law: &CollisionLaw) -> f64 {
    let (low, high) = law.band(1);
    let below = if low == 0 {
        0.0
    } else {
        law.two_sided_p(low - 1) / 2.0
    };
    below + law.two_sided_p(high + 1) / 2.0
}

#[test]
fn one_collision_test_in_a_hundred_says_one_in_a_hundred() {
    let function = keyed();
    // At 20 bits: Poisson with 5,000 keys, normal with 22,000.
    for count in [5_000, 22_000] {
        let dataset = dataset(count);
        let laws = [32, 24, 20].map(|bits| CollisionLaw::new(count as u64, bits));
        let mut below = [0_u32; 3];
        let mut sums = [0.0; 3];
        for seed in 0..SEEDS {
            seeded(seed);
            let raw = collisions::measure(&dataset, &Hashed::new(&dataset.keys, &function));
            for (index, &(_, collisions)) in raw.counts.iter().enumerate() {
                below[index] += u32::from(laws[index].two_sided_p(collisions) < 0.01);
                sums[index] += collisions as f64;
            }
        }
        for (index, law) in laws.iter().enumerate() {
            let seeds = SEEDS as f64;
            let share = f64::from(below[index]) / seeds;
            let level = level(law);
            assert!(level <= 0.01);
            let error = 4.0 * (level * (1.0 - level) / seeds).sqrt();
            assert!((share - level).abs() <= error, "{law:?}: {share}, not {level}");
            // The mean over all seeds is as expected, too.
            let mean = sums[index] / seeds;
            let error = 4.0 * (law.expected() / seeds).sqrt();
            assert!((mean - law.expected()).abs() <= error, "{law:?}: {mean}");
        }
    }
}

#[test]
fn one_distribution_test_in_a_hundred_says_one_in_a_hundred() {
    let function = keyed();
    let dataset = dataset(2000);
    let mut buckets = (0_u64, 0_u64);
    let mut bits = (0_u64, 0_u64);
    for seed in 0..SEEDS {
        seeded(seed);
        for row in distribution::measure(&dataset, &Hashed::new(&dataset.keys, &function)) {
            let (below, all) = match row.kind {
                DistributionKind::BitShare => &mut bits,
                _ => &mut buckets,
            };
            *below += u64::from(row.p_value < 0.01);
            *all += 1;
        }
    }
    for (below, all) in [buckets, bits] {
        let share = below as f64 / all as f64;
        assert!((0.005..highest_share(all)).contains(&share), "{below} of {all}");
    }
}

/// Counts the comparisons, of `runs` with `functions` ideal hashes each, in which collisions or false positives make
/// some hash appear worse than chance.
fn accusing_runs(dataset: &Dataset, runs: u64, functions: u64) -> u32 {
    let function = keyed();
    let probes = Probes::new(dataset);
    let (_, ideal) = probes.sizes_ideal();
    let mut accusing = 0;
    // The seeds start far from the seed of the dataset's ideal hashes.
    for first in (1000..).step_by(functions as usize).take(runs as usize) {
        let mut records = Records::of(Run {
            datasets: vec![summarise(dataset, 1)],
            ..Run::default()
        });
        records.near_sizes.clone_from(&ideal);
        for seed in first..first + functions {
            seeded(seed);
            let hashed = Hashed::new(&dataset.keys, &function);
            let name = seed.to_string();
            let mut counts = collisions::measure(dataset, &hashed);
            counts.function.clone_from(&name);
            records.collisions.extend(counts.rows());
            let (_, rows) = probes.sizes(&name, &probes.values(&hashed));
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
