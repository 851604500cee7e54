//! How often a hash that nothing is wrong with is called bad: as often as the p-values say.

use std::cell::Cell;

use harness::dataset::{Dataset, Recipe};
use harness::functions::{self, Function};
use harness::measure::false_positives::{Ideal, Probes};
use harness::measure::{Hashed, collisions, distribution};
use harness::record::{DatasetKind, DistributionKind};
use harness::stats::collisions::CollisionLaw;

const SEEDS: u64 = 400;

thread_local! {
    static SEED: Cell<u64> = const { Cell::new(0) };
}

/// A function whose values are those of the ideal hash under the seed of the thread.
fn keyed() -> Function {
    Function {
        hash: |key| u64::from(Ideal::new(SEED.get()).hash(key)),
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

/// The share of p-values below one hundredth may reach this: 0.01 and four standard deviations of a binomial share.
fn highest_share(trials: u64) -> f64 {
    0.01 + 4.0 * (0.01 * 0.99 / trials as f64).sqrt()
}

#[test]
fn one_collision_test_in_a_hundred_says_one_in_a_hundred() {
    let function = keyed();
    // At 20 bits: Poisson with 21,000 keys, normal with 40,000.
    for count in [21_000, 40_000] {
        let dataset = dataset(count);
        let mut below = [0_u32; 3];
        let mut sums = [0.0; 3];
        for seed in 0..SEEDS {
            SEED.set(seed);
            let raw = collisions::measure(&dataset, &Hashed::new(&dataset.keys, &function));
            for (index, &(bits, collisions)) in raw.counts.iter().enumerate() {
                let law = CollisionLaw::new(count as u64, bits);
                below[index] += u32::from(law.two_sided_p(collisions) < 0.01);
                sums[index] += collisions as f64;
            }
        }
        for (index, bits) in [32, 24, 20].into_iter().enumerate() {
            let share = f64::from(below[index]) / SEEDS as f64;
            assert!(
                share <= highest_share(SEEDS),
                "{count} keys, {bits} bits: {share}"
            );
            // The mean of all seeds lies where it should, four standard errors to either side.
            let mean = sums[index] / SEEDS as f64;
            let expected = CollisionLaw::new(count as u64, bits).expected();
            let error = 4.0 * (expected / SEEDS as f64).sqrt();
            assert!(
                (mean - expected).abs() < error,
                "{count} keys, {bits} bits: {mean}, not {expected}"
            );
        }
        // Counts are whole numbers, so the test at few bits, where there are many, comes closest to its level.
        let share = f64::from(below[2]) / SEEDS as f64;
        assert!(share > 0.0, "{count} keys: no p-value of {SEEDS} below 0.01");
    }
}

#[test]
fn one_distribution_test_in_a_hundred_says_one_in_a_hundred() {
    let function = keyed();
    let dataset = dataset(2000);
    let mut buckets = (0_u64, 0_u64);
    let mut bits = (0_u64, 0_u64);
    for seed in 0..SEEDS {
        SEED.set(seed);
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

#[test]
fn an_ideal_hash_is_not_worse_than_the_ideal_hash() {
    use harness::findings::{self, Evidence};
    use harness::record::Verdict;

    // Few keys and many questions: here one filter's luck weighs most.
    let mut dataset = dataset(4000);
    dataset.recipe = Some(Recipe::DistinctBelow1e9);
    let function = keyed();
    let probes = Probes::new(&dataset);
    let ideal = probes.measure_ideal();
    let mut alarms = 0;
    let runs = 25;
    for seed in 1000..1000 + runs {
        SEED.set(seed);
        let hashed = Hashed::new(&dataset.keys, &function);
        let raw = vec![collisions::measure(&dataset, &hashed)];
        let mut false_positives = ideal.clone();
        false_positives.extend(probes.measure(&hashed));
        let finding = &findings::judge(Evidence {
            datasets: std::slice::from_ref(&dataset),
            raw: &raw,
            collisions: &collisions::judge(&raw),
            distribution: &[],
            false_positives: &false_positives,
        })[0];
        alarms += u32::from(finding.verdict > Verdict::InBand);
    }
    // One in a hundred for each run, at most; two of 25 would be one time in forty.
    assert!(alarms <= 2, "{alarms} alarms in {runs} runs");
}
