//! The tests that are calibrated: of real keys, of structured ones, and of single bits.

use super::alarms::Alarms;
use hash_comparison::advice::findings;
use hash_comparison::functions::Function;
use hash_comparison::keys::structured::StructuredSet;
use hash_comparison::keys::{DEFAULT_SEED, Dataset, KeySet};
use hash_comparison::questions::filters::{Comparison, Probes};
use hash_comparison::questions::mixing::{self, Effort};
use hash_comparison::questions::{
    DistributionKind, MixingTest, NearSizesRow, QUESTIONS, Records, Window, WindowEnd, collisions,
    distribution, structured, tables, windows,
};
use hash_comparison::record::{BitTest, FailedTest, Run, Verdict};
use hash_comparison::values::Hashed;

/// A dataset with its probes and the results of the ideal hash.
pub(super) struct Asked<'a> {
    dataset: &'a Dataset,
    probes: Probes<'a>,
    ideal: Vec<NearSizesRow>,
}

impl<'a> Asked<'a> {
    /// Measures the ideal hash on the dataset.
    pub(super) fn new(dataset: &'a Dataset) -> Self {
        let probes = Probes::new(dataset);
        let (_, ideal) = probes.sizes_ideal();
        Self {
            dataset,
            probes,
            ideal,
        }
    }
}

/// Counts alarms of all tests on real keys, except windows. `run` names the datasets and the function; returns the
/// judged rows.
pub(super) fn real_keys(function: &Function, run: &Run, asked: &[Asked<'_>], alarms: &mut Alarms) -> Records {
    let mut records = Records::of(run.clone());
    for of in asked {
        let dataset = of.dataset;
        let hashed = Hashed::new(&dataset.keys, function);
        for row in collisions::measure(dataset, &hashed).0 {
            let question = format!("{} low bits", row.bits);
            alarms.collisions("collisions", &question, row.keys, row.bits, row.collisions);
            records.collisions.push(row);
        }
        for row in distribution::measure(dataset, &hashed) {
            let question = match row.kind {
                DistributionKind::PowerOfTwoBuckets => "buckets by low bits",
                DistributionKind::PrimeBuckets => "buckets by remainder",
                DistributionKind::BitShare => "share of ones in a bit",
            };
            alarms.single("distribution", question, row.p_value);
            records.distribution.push(row);
        }
        let (_, mut rows) = of.probes.sizes(function.name, &of.probes.values(&hashed));
        rows.extend(of.ideal.iter().cloned());
        for one in Comparison::new(&rows, dataset.recipe.is_some()).of(&dataset.name, function.name) {
            alarms.single("false_positives", "more than the ideal hash", one.p_value);
        }
        records.near_sizes.extend(rows);
        records.occupancy.extend(tables::measure(&dataset.name, &hashed));
        records.windows.extend(windows::measure(&dataset.name, &hashed));
    }
    for question in QUESTIONS {
        (question.judge)(&mut records);
    }
    let findings = findings::judge(&records);
    for (question, test) in [
        ("collisions", FailedTest::Collisions),
        ("distribution", FailedTest::Distribution),
        ("false_positives", FailedTest::FalsePositives),
    ] {
        let failed = findings.iter().any(|finding| finding.failed.contains(&test));
        alarms.run(question, failed);
    }
    for row in &records.occupancy {
        alarms.single("occupancy", "keys compared", row.hit_p);
        alarms.single("occupancy", "fullest bucket", row.longest_p);
        alarms.single("occupancy", "empty buckets", row.empty_p);
    }
    let accused = records
        .occupancy
        .iter()
        .any(|row| row.verdict > Verdict::WithinChance);
    alarms.run("occupancy", accused);
    records
}

/// Counts alarms on the structured sets, judged as a file about this function only.
pub(super) fn structured_keys(function: &Function, sets: &[(&StructuredSet, KeySet)], alarms: &mut Alarms) {
    let bits = function.output_bits;
    let tests = sets.len() * structured::windows(bits).count();
    let mut accused = false;
    for (set, keys) in sets {
        for row in structured::of(set.name, keys, function, tests) {
            let end = match row.window {
                Window::Whole => "bits, whole",
                Window::Low => "low bits",
                Window::High => "high bits",
            };
            let question = format!("{} {end}", row.bits);
            alarms.collisions("structured", &question, row.keys, row.bits, row.collisions);
            accused |= row.verdict > Verdict::WithinChance;
        }
    }
    alarms.run("structured", accused);
}

/// Counts alarms of the windows in `records` and of the mixing tests, judged as files about this function only.
pub(super) fn bits(function: &Function, mut records: Records, effort: Effort<'_>, alarms: &mut Alarms) {
    for row in &records.windows {
        // Both ends count as one question: a window has at most 32 of the 64 bits, so the ends share no bit.
        let question = match row.end {
            WindowEnd::Low | WindowEnd::High => format!("{} low or high bits", row.bits),
            WindowEnd::Full => format!("{} bits, whole", row.bits),
        };
        alarms.collisions("windows", &question, row.keys, row.bits, row.collisions);
    }
    let mixing = mixing::measure(function, DEFAULT_SEED, effort);
    (records.avalanche, records.mixing) = (mixing.avalanche, mixing.rows);
    for row in &records.mixing {
        let (all, furthest) = match row.test {
            MixingTest::Avalanche => ("avalanche, all cells", "avalanche, furthest cell"),
            MixingTest::Independence => ("independence, all cells", "independence, furthest cell"),
        };
        alarms.single("mixing", all, row.p_overall);
        let attainable = mixing::attainable_worst(row.trials, row.cells);
        alarms.discrete("mixing", furthest, attainable, row.p_worst);
    }
    mixing::judge(&mut records.mixing);
    let facts = findings::bit_facts(&records);
    for (question, tests) in [
        ("windows", &[BitTest::Windows][..]),
        ("mixing", &[BitTest::Avalanche, BitTest::Independence]),
    ] {
        alarms.run(question, facts.iter().any(|fact| tests.contains(&fact.test)));
    }
}
