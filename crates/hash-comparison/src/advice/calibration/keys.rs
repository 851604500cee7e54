//! Tests on keys: real ones and structured ones.

use super::alarms::Alarms;
use crate::advice::findings;
use crate::functions::Function;
use crate::keys::structured::StructuredSet;
use crate::keys::{Dataset, KeySet};
use crate::questions::filters::{Comparison, Probes};
use crate::questions::{
    DistributionKind, NearSizesRow, QUESTIONS, Records, Window, collisions, distribution, structured, tables,
    windows,
};
use crate::record::{FailedTest, Run, Verdict};
use crate::values::Hashed;
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

/// Counts alarms of all tests on real keys, except windows. `run` names the datasets and the function; returns the
/// judged rows.
pub(super) fn real(
    function: &Function,
    run: &Run,
    asked: &[Asked<'_>],
    alarms: &mut Alarms,
    progress: &dyn Progress,
) -> Result<Records, Cancelled> {
    let mut records = Records::of(run.clone());
    for of in asked {
        go_on(progress)?;
        let dataset = of.dataset;
        let hashed = Hashed::new(&dataset.keys, function);
        for row in collisions::measure(dataset, &hashed).rows() {
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
    Ok(records)
}

/// Counts alarms on the structured sets, judged as a file about this function only.
pub(super) fn structured(function: &Function, sets: &[(&StructuredSet, KeySet)], alarms: &mut Alarms) {
    let bits = function.output_bits;
    let tests = sets.len() * structured::windows(bits).count();
    let mut accused = false;
    for (set, keys) in sets {
        let mut rows = structured::of(set.name, keys, function, |_| false);
        structured::judge(&mut rows, tests);
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
