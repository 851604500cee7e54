//! What all measurements together say of each function on each dataset.

mod summary;
mod words;

use std::cmp::Reverse;
use std::collections::HashMap;

pub use summary::summarise;

use filter_policy::BitsPerKey;

use crate::dataset::Dataset;
use crate::measure::collisions::{RawCollisions, UNUSABLE_RATIO};
use crate::record::{
    CollisionRow, DistributionKind, DistributionRow, FalsePositiveRow, Finding, IDEAL, Verdict,
};
use crate::stats::binomial;
use crate::stats::correction::{FAMILY_LEVEL, bonferroni};
use crate::thousands::grouped;

/// Everything deterministic that a run measured.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The datasets.
    pub datasets: &'a [Dataset],
    /// The counts behind `collisions`.
    pub raw: &'a [RawCollisions],
    /// The rows of `collisions.csv`.
    pub collisions: &'a [CollisionRow],
    /// The rows of `distribution.csv`.
    pub distribution: &'a [DistributionRow],
    /// The rows of `false_positives.csv`.
    pub false_positives: &'a [FalsePositiveRow],
}

/// Bits that the filter policy takes and the ideal hash gives.
const IDEAL_BITS: u32 = 32;

/// A failed test: how bad, and in words.
struct Failure {
    verdict: Verdict,
    reason: String,
}

/// One finding for each of `evidence.raw`, in that order.
///
/// - Collisions: the verdicts of the rows.
/// - Distribution: p-values below 1 % after correction for the number of rows in the file.
/// - False positives: more than the row of the ideal hash has, by a one-sided test of the two counts given their sum
///   (binomial, one half), below 1 % after correction for the number of rows of real functions.
///
/// A failure in the last two makes a function measurably worse; a false-positive rate that is surely
/// [`UNUSABLE_RATIO`] times that of the ideal hash makes it unusable, as the same ratio of collisions does.
///
/// # Panics
///
/// If a dataset of `evidence.raw` is not among `evidence.datasets`.
pub fn judge(evidence: Evidence<'_>) -> Vec<Finding> {
    let collisions = group(evidence.collisions, |row| (&row.dataset, &row.function));
    let distribution = group(evidence.distribution, |row| (&row.dataset, &row.function));
    let false_positives = group(evidence.false_positives, |row| (&row.dataset, &row.function));
    let false_positive_tests = evidence
        .false_positives
        .iter()
        .filter(|row| row.function != IDEAL)
        .count();
    evidence
        .raw
        .iter()
        .map(|raw| {
            let dataset = evidence
                .datasets
                .iter()
                .find(|dataset| dataset.name == raw.dataset)
                .expect("collisions of a dataset that was measured");
            let rows = rows_of(&collisions, &raw.dataset, &raw.function);
            let mut failures = collision_failures(rows);
            failures.extend(distribution_failures(
                rows_of(&distribution, &raw.dataset, &raw.function),
                evidence.distribution.len(),
            ));
            failures.extend(false_positive_failures(
                rows_of(&false_positives, &raw.dataset, &raw.function),
                rows_of(&false_positives, &raw.dataset, IDEAL),
                false_positive_tests,
                raw.counts.first().map_or(IDEAL_BITS, |&(bits, _)| bits),
            ));
            finding(dataset, raw, rows, failures)
        })
        .collect()
}

type Groups<'a, R> = HashMap<(&'a str, &'a str), Vec<&'a R>>;

fn group<'a, R>(rows: &'a [R], names: impl Fn(&'a R) -> (&'a String, &'a String)) -> Groups<'a, R> {
    let mut groups = Groups::new();
    for row in rows {
        let (dataset, function) = names(row);
        groups.entry((dataset, function)).or_default().push(row);
    }
    groups
}

fn rows_of<'g, 'a, R>(groups: &'g Groups<'a, R>, dataset: &'a str, function: &'a str) -> &'g [&'a R] {
    groups.get(&(dataset, function)).map_or(&[], Vec::as_slice)
}

fn finding(
    dataset: &Dataset,
    raw: &RawCollisions,
    rows: &[&CollisionRow],
    mut failures: Vec<Failure>,
) -> Finding {
    // Stable: within a verdict collisions come before distribution and false positives.
    failures.sort_by_key(|failure| Reverse(failure.verdict));
    let of_collisions = rows
        .iter()
        .map(|row| row.verdict)
        .max()
        .unwrap_or(Verdict::InBand);
    let verdict = failures
        .iter()
        .map(|failure| failure.verdict)
        .fold(of_collisions, Verdict::max);
    Finding {
        dataset: raw.dataset.clone(),
        function: raw.function.clone(),
        verdict,
        reasons: failures.into_iter().map(|failure| failure.reason).collect(),
        worst_bits: worst(rows).map_or(0, |row| row.bits),
        example: raw
            .example
            .map(|(first, second)| [first, second].map(|index| words::key(dataset.keys.get(index)))),
    }
}

/// The row furthest above chance: of those that failed the one with the largest ratio. Where none failed, ratios are
/// noise at widths where next to nothing is expected, so it is the one with the least p-value among those above the
/// expectation, or else the one that is least surely below. Of equal rows the widest.
fn worst<'a>(rows: &[&'a CollisionRow]) -> Option<&'a CollisionRow> {
    let failed = rows.iter().copied().filter(|row| row.verdict > Verdict::InBand);
    // `max_by` takes the last of equal ones.
    if let Some(row) = failed.rev().max_by(|a, b| ratio(a).total_cmp(&ratio(b))) {
        return Some(row);
    }
    let surprise = |row: &CollisionRow| {
        let above = row.collisions as f64 >= row.expected;
        if above { row.p_value } else { 2.0 - row.p_value }
    };
    rows.iter()
        .copied()
        .min_by(|a, b| surprise(a).total_cmp(&surprise(b)))
}

fn ratio(row: &CollisionRow) -> f64 {
    // Without a chance of any collision, none is as many as expected.
    if row.expected > 0.0 {
        row.collisions as f64 / row.expected
    } else {
        1.0
    }
}

/// The widths that failed, that with the largest ratio first.
fn collision_failures(rows: &[&CollisionRow]) -> Vec<Failure> {
    let mut failed: Vec<&CollisionRow> = rows
        .iter()
        .copied()
        .filter(|row| row.verdict > Verdict::InBand)
        .collect();
    failed.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    failed
        .into_iter()
        .map(|row| Failure {
            verdict: row.verdict,
            reason: format!(
                "{} of {} keys collide at {} bits, where chance gives {} ({} times)",
                grouped(row.collisions),
                grouped(row.keys),
                row.bits,
                words::figure(row.expected),
                words::times(ratio(row)),
            ),
        })
        .collect()
}

/// One failure for the output bits and one for either kind of buckets, where any of the kind failed.
fn distribution_failures(rows: &[&DistributionRow], tests: usize) -> Vec<Failure> {
    let failed_of = |kind| {
        let mut failed: Vec<&DistributionRow> = rows
            .iter()
            .copied()
            .filter(|row| row.kind == kind && bonferroni(row.p_value, tests) < FAMILY_LEVEL)
            .collect();
        // How bad, since the p-values of bad ones are all zero.
        failed.sort_by(|a, b| unevenness(b).total_cmp(&unevenness(a)));
        failed
    };
    let mut reasons = Vec::from_iter(words::bits(&failed_of(DistributionKind::BitShare)));
    for (kind, how) in [
        (DistributionKind::PowerOfTwoBuckets, "the low bits fill"),
        (DistributionKind::PrimeBuckets, "the remainders fill"),
    ] {
        if let Some(row) = failed_of(kind).first() {
            reasons.push(format!(
                "{how} {} buckets unevenly: chi-square {} times its {} degrees of freedom",
                grouped(row.parameter),
                words::times(unevenness(row)),
                grouped(row.dof),
            ));
        }
    }
    reasons
        .into_iter()
        .map(|reason| Failure {
            verdict: Verdict::MeasurablyWorse,
            reason,
        })
        .collect()
}

/// Chi-square over its mean; of a bit, how far its share is from one half.
fn unevenness(row: &DistributionRow) -> f64 {
    match row.kind {
        DistributionKind::BitShare => (row.statistic - 0.5).abs(),
        DistributionKind::PowerOfTwoBuckets | DistributionKind::PrimeBuckets => {
            row.statistic / row.dof as f64
        }
    }
}

/// The sizes of filter at which a function has more false positives than the ideal hash, the worst first.
fn false_positive_failures(
    rows: &[&FalsePositiveRow],
    ideal: &[&FalsePositiveRow],
    tests: usize,
    bits: u32,
) -> Vec<Failure> {
    // The policy takes 32 bits; at many bits per key a missing one shows, however good the others are.
    let width = if bits < IDEAL_BITS {
        format!(" (it has {bits} of the {IDEAL_BITS} bits)")
    } else {
        String::new()
    };
    let mut failed: Vec<(&FalsePositiveRow, &FalsePositiveRow)> = rows
        .iter()
        .filter_map(|row| {
            let ideal = ideal
                .iter()
                .find(|ideal| ideal.bits_per_key == row.bits_per_key)?;
            let p_value = more_than(row, ideal);
            (bonferroni(p_value, tests) < FAMILY_LEVEL).then_some((*row, *ideal))
        })
        .collect();
    let ratio = |&(row, ideal): &(&FalsePositiveRow, &FalsePositiveRow)| row.rate / ideal.rate;
    failed.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    failed
        .into_iter()
        .map(|(row, ideal)| Failure {
            verdict: if row.ci_low >= UNUSABLE_RATIO * ideal.ci_high {
                Verdict::Unusable
            } else {
                Verdict::MeasurablyWorse
            },
            reason: format!(
                "false positives {} against {} of an ideal hash in the same filter of {} bits per key{width}",
                words::percent(row.rate),
                if ideal.false_positives == 0 {
                    format!("none in {} probes", grouped(ideal.probes))
                } else {
                    words::percent(ideal.rate)
                },
                row.bits_per_key,
            ),
        })
        .collect()
}

/// How often a function as good as the ideal hash has so large a part of the false positives of both.
fn more_than(row: &FalsePositiveRow, ideal: &FalsePositiveRow) -> f64 {
    let both = (row.false_positives + ideal.false_positives) as f64;
    let spread = spread(row, both / 2.0);
    binomial::at_least(row.false_positives as f64 / spread, both / spread, 0.5)
}

/// Variance of a count of false positives over that of a Poisson count with mean `count`.
///
/// It is above 1 because one filter is asked all the questions, and some filters come out fuller than others. With S
/// bits set a filter's rate goes like S^k, so the variance grows by the square of `count k sd(S) / mean(S)`; for S as
/// the occupancy problem has it, doubled because a key's probes are not independent of each other. Measured with an
/// ideal hash, 400 seeds and 1,000,000 absent keys at 10 bits per key, the ratio was 1.48 with 40,000 keys (this
/// formula: 1.58) and 3.54 with 4,000 (6.17).
fn spread(row: &FalsePositiveRow, count: f64) -> f64 {
    let bits = 8.0 * (row.filter_bytes - 1) as f64;
    let k = f64::from(BitsPerKey::whole(row.bits_per_key).probe_count());
    let load = k * row.keys as f64 / bits;
    let zero = libm::exp(-load);
    let variance = bits * zero * (1.0 - zero * (1.0 + load));
    let mean = bits * (1.0 - zero);
    1.0 + 2.0 * count * k * k * variance / (mean * mean)
}
