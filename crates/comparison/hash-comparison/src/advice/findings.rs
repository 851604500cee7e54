//! Findings: the combined verdict on each function and dataset, from the failures of all questions.

use std::cmp::Reverse;

use crate::questions::{CollisionRow, Failure, QUESTIONS, Records, collisions};
use crate::record::{BitFact, DatasetSummary, FailedTest, Finding, FunctionSummary, Verdict, about};

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
pub fn judge(records: &Records) -> Vec<Finding> {
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
