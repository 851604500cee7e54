//! Tests on keys: real ones and structured ones.

use super::alarms::Alarms;
use crate::functions::Function;
use crate::judge::findings::{Evidence, more_than};
use crate::judge::{self, findings};
use crate::keys::Dataset;
use crate::keys::KeySet;
use crate::keys::structured::StructuredSet;
use crate::measure::false_positives::Probes;
use crate::measure::{Hashed, collisions, distribution, occupancy, structured, windows};
use crate::progress::{Cancelled, Progress, go_on};
use crate::record::{DistributionKind, FailedTest, FalsePositiveRow, Verdict, Window, WindowRow};

/// A dataset with its probes and the results of the ideal hash.
pub(super) struct Asked<'a> {
    dataset: &'a Dataset,
    probes: Probes<'a>,
    ideal: Vec<FalsePositiveRow>,
}

impl<'a> Asked<'a> {
    /// Measures the ideal hash on the dataset.
    pub(super) fn new(dataset: &'a Dataset, progress: &dyn Progress) -> Result<Self, Cancelled> {
        go_on(progress)?;
        let probes = Probes::new(dataset);
        let ideal = probes.measure_ideal(progress)?;
        Ok(Self {
            dataset,
            probes,
            ideal,
        })
    }
}

/// Counts alarms of all tests on real keys, except windows, whose rows are returned as measured.
pub(super) fn real(
    function: &Function,
    datasets: &[Dataset],
    asked: &[Asked<'_>],
    alarms: &mut Alarms,
    progress: &dyn Progress,
) -> Result<Vec<WindowRow>, Cancelled> {
    let (mut raw, mut spread, mut false_positives) = (Vec::new(), Vec::new(), Vec::new());
    let (mut tables, mut windows) = (Vec::new(), Vec::new());
    for of in asked {
        let dataset = of.dataset;
        let hashed = Hashed::new(&dataset.keys, function);
        let counts = collisions::measure(dataset, &hashed);
        for &(bits, count) in &counts.counts {
            let question = format!("{bits} low bits");
            alarms.collisions("collisions", &question, counts.keys, bits, count);
        }
        raw.push(counts);
        for row in distribution::measure(dataset, &hashed) {
            let question = match row.kind {
                DistributionKind::PowerOfTwoBuckets => "buckets by low bits",
                DistributionKind::PrimeBuckets => "buckets by remainder",
                DistributionKind::BitShare => "share of ones in a bit",
            };
            alarms.single("distribution", question, row.p_value);
            spread.push(row);
        }
        let folds = findings::folds(dataset.recipe.is_some());
        let rows = of.probes.measure(&hashed, progress)?;
        for (row, ideal) in rows.iter().zip(&of.ideal) {
            let p_value = more_than(row, ideal, folds);
            alarms.single("false_positives", "more than the ideal hash", p_value);
        }
        false_positives.extend(rows);
        false_positives.extend(of.ideal.iter().cloned());
        tables.extend(occupancy::measure(&dataset.name, &hashed));
        windows.extend(windows::measure(&dataset.name, &hashed));
    }
    let findings = findings::judge(Evidence {
        datasets,
        raw: &raw,
        collisions: &judge::collisions::judge(&raw),
        distribution: &spread,
        shards: &[],
        false_positives: &false_positives,
    });
    for (question, test) in [
        ("collisions", FailedTest::Collisions),
        ("distribution", FailedTest::Distribution),
        ("false_positives", FailedTest::FalsePositives),
    ] {
        let failed = findings.iter().any(|finding| finding.failed.contains(&test));
        alarms.run(question, failed);
    }
    let tables = judge::occupancy::judge(&tables);
    for row in &tables {
        alarms.single("occupancy", "keys compared", row.hit_p);
        alarms.single("occupancy", "fullest bucket", row.longest_p);
        alarms.single("occupancy", "empty buckets", row.empty_p);
    }
    let accused = tables.iter().any(|row| row.verdict > Verdict::InBand);
    alarms.run("occupancy", accused);
    Ok(windows)
}

/// Counts alarms on the structured sets, judged as a file about this function only.
pub(super) fn structured(function: &Function, sets: &[(&StructuredSet, KeySet)], alarms: &mut Alarms) {
    let bits = function.output_bits;
    let tests = sets.len() * structured::windows(bits).count();
    let mut accused = false;
    for (set, keys) in sets {
        let mut rows = structured::of(set.name, keys, function, |_| false);
        judge::structured::judge(&mut rows, tests);
        for row in rows {
            let end = match row.window {
                Window::Whole => "bits, whole",
                Window::Low => "low bits",
                Window::High => "high bits",
            };
            let question = format!("{} {end}", row.bits);
            alarms.collisions("structured", &question, row.keys, row.bits, row.collisions);
            accused |= row.verdict > Verdict::InBand;
        }
    }
    alarms.run("structured", accused);
}
