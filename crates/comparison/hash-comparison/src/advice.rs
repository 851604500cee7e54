//! Conclusions from all questions: findings, costs by purpose, recommendations, several runs together, false alarms.

use std::cmp::Reverse;

use crate::questions::{CollisionRow, Failure, QUESTIONS, Records, collisions};
use crate::record::{BitFact, CostRow, DatasetSummary, FailedTest, Finding, FunctionSummary, Verdict, about};
use statistics::correction::FAMILY_LEVEL;

pub mod calibration;
pub mod figures;
pub mod joined;
pub mod over_sets;
pub mod published;
pub mod recommend;
pub mod times;
pub mod weakness;

/// Adds findings, facts and costs, and the advice for the request of the run.
pub(crate) fn judge(records: &mut Records) {
    records.run.findings = findings(records);
    records.run.bit_facts = bit_facts(records);
    records.costs = costs(records);
    let request = records.run.request.clone();
    recommend::decide(records, &request);
}

/// Returns one finding for each dataset and function of the run, in this order.
///
/// - Collisions: the verdicts of the rows.
/// - Distribution: p-values below 1 % after correction for the number of rows in the file.
/// - False positives: more than the row of the ideal hash has, by a one-sided test of the two counts given their sum
///   (binomial, the function's share of all probes), below 1 % after correction for the number of such tests. The
///   counts are sums over filters of several sizes.
///
/// A failure in the last two makes a function worse than chance; a false-positive rate that is certainly
/// `FAR_WORSE_RATIO` times that of the ideal hash makes it far worse, as the same ratio
/// of collisions does.
pub fn findings(records: &Records) -> Vec<Finding> {
    let functions = &records.run.functions;
    let of_dataset = |dataset| {
        functions
            .iter()
            .map(move |function| finding(records, dataset, function))
    };
    records.run.datasets.iter().flat_map(of_dataset).collect()
}

/// Returns the failed tests of single bits, below 1 % after correction for the rows of their file: windows by dataset
/// and function, then avalanche and independence by function.
///
/// A [`Finding`] leaves these tests out: it states the effect on the user's own keys already.
pub fn bit_facts(records: &Records) -> Vec<BitFact> {
    QUESTIONS
        .iter()
        .flat_map(|question| (question.facts)(records))
        .collect()
}

fn finding(records: &Records, dataset: &DatasetSummary, function: &FunctionSummary) -> Finding {
    let (set, name) = (&dataset.name, &function.name);
    let questions = QUESTIONS.iter();
    let failures = questions.flat_map(|question| (question.failures)(records, dataset, function));
    let mut failures: Vec<Failure> = failures.collect();
    // Stable: what a question has failed stays in its order.
    failures.sort_by_key(|failure| (Reverse(failure.verdict), failure.test));
    let rows: Vec<_> = about(&records.collisions, set, name).collect();
    let fewer = rows.iter().any(|row| row.verdict == Verdict::FewerThanChance);
    let failed_most = failures.iter().map(|failure| failure.verdict).max();
    let verdict = failed_most.unwrap_or(if fewer {
        Verdict::FewerThanChance
    } else {
        Verdict::WithinChance
    });
    let mut failed: Vec<FailedTest> = failures.iter().map(|failure| failure.test).collect();
    failed.sort_unstable();
    failed.dedup();
    Finding {
        dataset: set.clone(),
        function: name.clone(),
        verdict,
        failed,
        reasons: failures.into_iter().map(|failure| failure.reason).collect(),
        worst_bits: worst(&rows).map_or(0, |row| row.bits),
        rank: 0,
    }
}

/// Returns the row of collisions furthest above chance. If no row is worse, ratios are noise at widths with hardly any expected
/// collisions, so the row with the least p-value above the expectation counts, or else the row least certain to be below.
fn worst<'a>(rows: &[&'a CollisionRow]) -> Option<&'a CollisionRow> {
    let surprise = |row: &CollisionRow| {
        let above = row.collisions as f64 >= row.expected;
        if above { row.p_value } else { 2.0 - row.p_value }
    };
    let least = || {
        rows.iter()
            .copied()
            .min_by(|a, b| surprise(a).total_cmp(&surprise(b)))
    };
    collisions::furthest(rows.iter().copied()).or_else(least)
}

/// Returns the cost of each function for each purpose, in that purpose's unit: rows of each dataset and function, in this order, by
/// purpose. Only here does a failed test get a price.
///
/// Filters pay in false positives, tables in keys compared per key found, shards in keys in the fullest shard,
/// checksums in keys that share a value. Significance and size of a cost are separate questions: with enough keys the
/// smallest defect is measurable.
pub fn costs(records: &Records) -> Vec<CostRow> {
    let mut costs = Vec::new();
    for dataset in &records.run.datasets {
        for function in &records.run.functions {
            let rows = QUESTIONS.iter();
            let rows = rows.flat_map(|question| (question.costs)(records, dataset, function));
            let mut rows: Vec<CostRow> = rows.map(weighed).collect();
            // Stable: the places of a purpose keep their order.
            rows.sort_by_key(|row| row.purpose);
            for places in rows.chunk_by_mut(|a, b| a.purpose == b.purpose) {
                leave_costliest(places);
                leave_shown(places);
            }
            costs.extend(rows.into_iter().filter(|row| row.decides || row.is_shown()));
        }
    }
    costs
}

/// Leaves one place to decide, the costliest.
fn leave_costliest(places: &mut [CostRow]) {
    let of_all = (0..places.len()).filter(|&index| places[index].decides);
    let worst = of_all.max_by(|&a, &b| places[a].by_cost(&places[b]));
    for (index, row) in places.iter_mut().enumerate() {
        row.decides = Some(index) == worst;
    }
}

/// Of the places that differ in size alone, leaves one to be shown, and one beside it if that is the costliest and measurably
/// worse than chance: what decides is always shown.
fn leave_shown(places: &mut [CostRow]) {
    for first in 0..places.len() {
        let kind = places[first].kind();
        let same: Vec<usize> = (0..places.len())
            .filter(|&index| places[index].kind() == kind)
            .collect();
        if same[0] != first {
            continue;
        }
        // A mean over several numbers of keys would stand beside the rate of the exact number, so it is shown only if it decides.
        let usual = same.iter().copied().find(|&index| places[index].shown);
        let usual = usual.or((places[first].sizes == 1).then_some(first));
        let measurable = same.iter().copied().filter(|&index| places[index].measurable);
        let worst = measurable.max_by(|&a, &b| places[a].by_cost(&places[b]));
        for index in same {
            places[index].shown = Some(index) == usual;
            places[index].costliest = Some(index) == worst && worst != usual;
        }
    }
}

/// Adds the excess over chance, and whether it is measurable.
fn weighed(mut row: CostRow) -> CostRow {
    row.cost = match row.measured == row.chance {
        true => 0.0,
        false => (row.measured / row.chance - 1.0).min(CostRow::MAX),
    };
    row.measurable = row.p_adjusted < FAMILY_LEVEL && row.measured > row.chance;
    row
}
