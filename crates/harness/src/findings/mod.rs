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
    CollisionRow, DistributionKind, DistributionRow, FailedTest, FalsePositiveRow, Finding, IDEAL, Verdict,
};
use crate::stats::binomial;
use crate::stats::collisions::CollisionLaw;
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

/// With fewer keys a report recommends nothing: on so few not even [`UNUSABLE_RATIO`] times the false positives of an
/// ideal hash are told from chance, in a filter of 10 bits per key and a run of all functions.
pub const FEWEST_KEYS: u64 = 48;

/// A failed test: which, how bad, and in words.
struct Failure {
    test: FailedTest,
    verdict: Verdict,
    reason: String,
}

/// One finding for each of `evidence.raw`, in that order.
///
/// - Collisions: the verdicts of the rows.
/// - Distribution: p-values below 1 % after correction for the number of rows in the file.
/// - False positives: more than the row of the ideal hash has, by a one-sided test of the two counts given their sum
///   (binomial, the function's share of all probes), below 1 % after correction for the number of rows of real
///   functions.
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
            failures.extend(false_positive_failures(
                rows_of(&false_positives, &raw.dataset, &raw.function),
                rows_of(&false_positives, &raw.dataset, IDEAL),
                &Comparison {
                    tests: false_positive_tests,
                    folds: if dataset.recipe.is_some() { 1.0 } else { 2.0 },
                    bits: raw.counts.first().map_or(IDEAL_BITS, |&(bits, _)| bits),
                },
            ));
            failures.extend(distribution_failures(
                rows_of(&distribution, &raw.dataset, &raw.function),
                evidence.distribution.len(),
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
    // Stable: within a verdict collisions come first, then false positives, then distribution.
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
    let mut failed: Vec<FailedTest> = failures.iter().map(|failure| failure.test).collect();
    failed.sort_unstable();
    failed.dedup();
    Finding {
        dataset: raw.dataset.clone(),
        function: raw.function.clone(),
        verdict,
        failed,
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
    let own_bits = rows.iter().map(|row| row.bits).max();
    failed
        .into_iter()
        .map(|row| Failure {
            test: FailedTest::Collisions,
            verdict: row.verdict,
            reason: format!(
                "{} of {} keys collide at {} bits, where chance gives {} ({} times){}",
                grouped(row.collisions),
                grouped(row.keys),
                row.bits,
                words::figure(row.expected),
                words::times(ratio(row)),
                if own_bits == Some(row.bits) {
                    beside_all_bits(row)
                } else {
                    String::new()
                },
            ),
        })
        .collect()
}

/// What a function gives away that has fewer bits than are compared: chance at its own width does not show it.
fn beside_all_bits(row: &CollisionRow) -> String {
    let expected = CollisionLaw::new(row.keys, IDEAL_BITS).expected();
    if row.bits >= IDEAL_BITS || expected <= 0.0 {
        return String::new();
    }
    format!(
        " and {} at {IDEAL_BITS} bits ({} times)",
        words::figure(expected),
        words::times(row.collisions as f64 / expected),
    )
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
            test: FailedTest::Distribution,
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

/// How false positives are compared with those of the ideal hash.
struct Comparison {
    /// Tests in the run.
    tests: usize,
    /// Filters that were built from the keys, one after the other.
    folds: f64,
    /// Width of the function.
    bits: u32,
}

/// The sizes of filter at which a function has more false positives than the ideal hash, the worst first.
fn false_positive_failures(
    rows: &[&FalsePositiveRow],
    ideal: &[&FalsePositiveRow],
    comparison: &Comparison,
) -> Vec<Failure> {
    let &Comparison { tests, folds, bits } = comparison;
    // The policy takes 32 bits; among many keys at many bits per key a missing one shows, however good the others are:
    // an absent key has the value of a key with the probability keys / 2^bits.
    let width = |row: &FalsePositiveRow, ideal: &FalsePositiveRow| {
        let equal = row.keys as f64 / libm::ldexp(1.0, bits as i32);
        if bits < IDEAL_BITS && equal > ideal.rate / 10.0 {
            format!(" (it has {bits} of the {IDEAL_BITS} bits)")
        } else {
            String::new()
        }
    };
    let mut failed: Vec<(&FalsePositiveRow, &FalsePositiveRow)> = rows
        .iter()
        .filter_map(|row| {
            let ideal = ideal
                .iter()
                .find(|ideal| ideal.bits_per_key == row.bits_per_key)?;
            let p_value = more_than(row, ideal, folds);
            (bonferroni(p_value, tests) < FAMILY_LEVEL).then_some((*row, *ideal))
        })
        .collect();
    let ratio = |&(row, ideal): &(&FalsePositiveRow, &FalsePositiveRow)| row.rate / ideal.rate;
    failed.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    failed
        .into_iter()
        .map(|(row, ideal)| Failure {
            test: FailedTest::FalsePositives,
            verdict: if row.ci_low >= UNUSABLE_RATIO * ideal.ci_high {
                Verdict::Unusable
            } else {
                Verdict::MeasurablyWorse
            },
            reason: format!(
                "false positives {} against {} of an ideal hash in the same filter of {} bits per key{}",
                words::percent(row.rate),
                if ideal.false_positives == 0 {
                    format!("none of {} probes", grouped(ideal.probes))
                } else {
                    words::percent(ideal.rate)
                },
                row.bits_per_key,
                width(row, ideal),
            ),
        })
        .collect()
}

/// How often a function as good as the ideal hash has so large a part of the false positives of both.
///
/// Were they equally good, each false positive would be the function's with the probability of its share of all probes;
/// the ideal hash was asked more often.
fn more_than(row: &FalsePositiveRow, ideal: &FalsePositiveRow, folds: f64) -> f64 {
    let both = (row.false_positives + ideal.false_positives) as f64;
    let share = row.probes as f64 / (row.probes + ideal.probes) as f64;
    let spread = spread(row, both * share, folds);
    binomial::at_least(row.false_positives as f64 / spread, both / spread, share)
}

/// Variance of a function's count of false positives, given the sum with the ideal hash's, over that of a binomial one
/// with mean `count`.
///
/// It is above 1 for two reasons. Of two keys that share all their bits, one in either half, each is a false positive of
/// the other's filter; so where two filters change parts (`folds`), events may come in pairs, and nearly all do where
/// false positives are rare. And one filter is asked all the questions, while some filters come out fuller than
/// others. With S bits set a filter's rate goes like S^k, so a count c from one filter has a variance of
/// `c + c^2 V`, with V the square of `k sd(S) / mean(S)` for S as the occupancy problem has it, doubled because
/// a key's probes are not independent of each other. With an ideal hash, 400 seeds and 1,000,000 absent keys at 10 bits
/// per key, the variance was 1.48 c with 40,000 keys (this formula: 1.58) and 3.54 c with 4,000 (6.17).
///
/// The ideal hash's count comes from F times the probes in F times the filters, so its variance is `F c + F c^2 V`.
/// Given the sum, the function's count lies `(F f - i) / (F + 1)` from its mean, where f and i are the two counts; that
/// has the variance `(F^2 (c + c^2 V) + F c + F c^2 V) / (F + 1)^2`, which is `1 + c V` times the binomial one,
/// `c F / (F + 1)`, whatever F.
fn spread(row: &FalsePositiveRow, count: f64, folds: f64) -> f64 {
    let bits = 8.0 * (row.filter_bytes - 1) as f64;
    let k = f64::from(BitsPerKey::whole(row.bits_per_key).probe_count());
    let load = k * row.keys as f64 / bits;
    let zero = libm::exp(-load);
    let variance = bits * zero * (1.0 - zero * (1.0 + load));
    let mean = bits * (1.0 - zero);
    folds + 2.0 * count * k * k * variance / (mean * mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::collisions;

    fn rows(counts: &[(u32, u64)], keys: u64) -> Vec<CollisionRow> {
        collisions::judge(&[RawCollisions {
            dataset: "ids".to_owned(),
            function: "f".to_owned(),
            keys,
            counts: counts.to_vec(),
            example: None,
        }])
    }

    #[test]
    fn missing_bits_are_told() {
        let reason = |counts: &[(u32, u64)]| {
            let rows = rows(counts, 1_000_000);
            let failures = collision_failures(&rows.iter().collect::<Vec<_>>());
            failures
                .into_iter()
                .map(|failure| failure.reason)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            reason(&[(28, 3_720)]),
            [
                "3,720 of 1,000,000 keys collide at 28 bits, where chance gives 1,860 (2.0 times) and 116 at 32 bits (32 times)"
            ]
        );
        // Low bits of a function that has all of them are no missing ones.
        assert_eq!(
            reason(&[(32, 116), (20, 900_000)]),
            ["900,000 of 1,000,000 keys collide at 20 bits, where chance gives 355,464 (2.5 times)"]
        );
    }

    fn filter_row(function: &str, keys: u64, probes: u64, false_positives: u64) -> FalsePositiveRow {
        let (ci_low, ci_high) = binomial::share_interval(false_positives, probes, 0.95);
        FalsePositiveRow {
            dataset: "ids".to_owned(),
            function: function.to_owned(),
            bits_per_key: 10,
            keys,
            probes,
            false_positives,
            rate: false_positives as f64 / probes as f64,
            ci_low,
            ci_high,
            theory: 0.0084,
            raw_bytes: 9 * keys,
            filter_bytes: (10 * keys).div_ceil(8) + 1,
            saved: 0.8,
        }
    }

    #[test]
    fn different_numbers_of_probes_are_compared_by_their_rates() {
        // As many false positives for each probe: no difference, whichever was asked more often.
        for (asked, of_ideal) in [
            (1_000_000, 1_000_000),
            (1_000_000, 4_000_000),
            (45_402, 1_044_246),
        ] {
            let ideal = filter_row(IDEAL, 22_701, of_ideal, of_ideal / 100);
            let p_of = |count| more_than(&filter_row("f", 22_701, asked, count), &ideal, 1.0);
            let count = asked / 100;
            assert!(
                (0.45..0.56).contains(&p_of(count)),
                "{asked} {of_ideal}: {}",
                p_of(count)
            );
            assert!(p_of(2 * count) < 1e-9 && p_of(count / 2) > 0.999);
        }
    }

    #[test]
    fn too_few_keys_cannot_show_sixteen_times_the_false_positives() {
        // As many tests as a run of all functions over one set has.
        let told = |keys: u64| {
            let ideal = filter_row(IDEAL, keys / 2, 1_000_000, 10_000);
            let row = filter_row("f", keys / 2, keys, (keys * 16).div_ceil(100));
            bonferroni(more_than(&row, &ideal, 2.0), 69) < FAMILY_LEVEL
        };
        assert!(told(FEWEST_KEYS));
        assert!(!told(FEWEST_KEYS - 8));
    }
}
