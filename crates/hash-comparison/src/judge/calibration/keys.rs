//! Tests on keys: real ones and structured ones.

use super::alarms::Alarms;
use crate::functions::Function;
use crate::judge::findings::{Comparison, Evidence};
use crate::judge::{self, findings};
use crate::keys::Dataset;
use crate::keys::KeySet;
use crate::keys::structured::StructuredSet;
use crate::measure::false_positives::Probes;
use crate::measure::{Hashed, collisions, distribution, occupancy, structured, windows};
use crate::record::{DistributionKind, FailedTest, NearSizesRow, Verdict, Window, WindowRow};
use records::progress::{Cancelled, Progress, go_on};

/// A dataset with its probes and the results of the ideal hash.
pub(super) struct Asked<'a> {
    dataset: &'a Dataset,
    probes: Probes<'a>,
    ideal: Vec<NearSizesRow>,
}

impl<'a> Asked<'a> {
    /// Measures the ideal hash on the dataset.
    pub(super) fn new(dataset: &'a Dataset, progress: &dyn Progress) -> Result<Self, Cancelled> {
        go_on(progress)?;
        let probes = Probes::new(dataset);
        let (_, ideal) = probes.sizes_ideal();
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
    let (mut raw, mut spread, mut near_sizes) = (Vec::new(), Vec::new(), Vec::new());
    let (mut tables, mut windows) = (Vec::new(), Vec::new());
    for of in asked {
        go_on(progress)?;
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
        let (_, mut rows) = of.probes.sizes(function.name, &of.probes.values(&hashed));
        rows.extend(of.ideal.iter().cloned());
        for one in Comparison::new(&rows, dataset.recipe.is_some()).of(&dataset.name, function.name) {
            alarms.single("false_positives", "more than the ideal hash", one.p_value);
        }
        near_sizes.extend(rows);
        tables.extend(occupancy::measure(&dataset.name, &hashed));
        windows.extend(windows::measure(&dataset.name, &hashed));
    }
    let findings = findings::judge(Evidence {
        datasets,
        raw: &raw,
        collisions: &judge::collisions::judge(&raw),
        distribution: &spread,
        shards: &[],
        near_sizes: &near_sizes,
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
    let accused = tables.iter().any(|row| row.verdict > Verdict::WithinChance);
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
            accused |= row.verdict > Verdict::WithinChance;
        }
    }
    alarms.run("structured", accused);
}
