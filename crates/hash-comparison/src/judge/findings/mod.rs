//! Findings: the combined verdict on each function and dataset.

mod false_positives;
mod summary;

use std::cmp::Reverse;

pub use false_positives::FEWEST_KEYS;
pub(crate) use false_positives::{Compared, Comparison};
pub use summary::summarise;

use super::{collisions, mixing, windows, words};
use crate::keys::{Dataset, printed};
use crate::measure::collisions::RawCollisions;
use crate::record::{
    AvalancheRow, BitFact, Choice, CollisionRow, DistributionKind, DistributionRow, FailedTest, Finding,
    MixingRow, NearSizesRow, ShardRow, Verdict, WindowRow, about,
};
use records::number::grouped;
use statistics::collisions::CollisionLaw;
use statistics::correction::{FAMILY_LEVEL, bonferroni};

/// The deterministic results of a run.
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
    /// The rows of `shards.csv`.
    pub shards: &'a [ShardRow],
    /// The rows of `near_sizes.csv`.
    pub near_sizes: &'a [NearSizesRow],
}

/// The number of hash bits that the filter policy uses and the ideal hash has.
const IDEAL_BITS: u32 = 32;

/// A failed test with its verdict and reason.
struct Failure {
    test: FailedTest,
    verdict: Verdict,
    reason: String,
}

/// Returns one finding for each entry of `evidence.raw`, in that order.
///
/// - Collisions: the verdicts of the rows.
/// - Distribution: p-values below 1 % after correction for the number of rows in the file.
/// - False positives: more than the row of the ideal hash has, by a one-sided test of the two counts given their sum
///   (binomial, the function's share of all probes), below 1 % after correction for the number of such tests. The
///   counts are sums over filters of several sizes.
///
/// A failure in the last two makes a function worse than chance; a false-positive rate that is certainly
/// [`FAR_WORSE_RATIO`](crate::judge::collisions::FAR_WORSE_RATIO) times that of the ideal hash makes it far worse, as the
/// same ratio of collisions does.
///
/// # Panics
///
/// Panics if a dataset of `evidence.raw` is not among `evidence.datasets`.
pub fn judge(evidence: Evidence<'_>) -> Vec<Finding> {
    evidence
        .raw
        .iter()
        .map(|raw| {
            let dataset = evidence
                .datasets
                .iter()
                .find(|dataset| dataset.name == raw.dataset)
                .expect("collisions of a dataset that was measured");
            let (name, function) = (raw.dataset.as_str(), raw.function.as_str());
            let rows: Vec<&CollisionRow> = about(evidence.collisions, name, function).collect();
            let mut failures = collision_failures(&rows);
            let comparison = Comparison::new(evidence.near_sizes, dataset.recipe.is_some());
            let bits = raw.counts.first().map_or(IDEAL_BITS, |&(bits, _)| bits);
            failures.extend(false_positives::failures(comparison.of(name, function), bits));
            failures.extend(distribution_failures(
                &about(evidence.distribution, name, function).collect::<Vec<_>>(),
                &about(evidence.shards, name, function).collect::<Vec<_>>(),
                (evidence.distribution.len(), evidence.shards.len()),
            ));
            finding(dataset, raw, &rows, failures)
        })
        .collect()
}

/// Returns the failed tests of single bits, below 1 % after correction for the rows of their file: windows by dataset
/// and function, then avalanche and independence by function.
///
/// A [`Finding`] leaves these tests out: it states the effect on the user's own keys already.
pub fn bit_facts(windows: &[WindowRow], avalanche: &[AvalancheRow], mixing: &[MixingRow]) -> Vec<BitFact> {
    windows::facts(windows)
        .chain(mixing::facts(mixing, avalanche))
        .collect()
}

fn finding(
    dataset: &Dataset,
    raw: &RawCollisions,
    rows: &[&CollisionRow],
    mut failures: Vec<Failure>,
) -> Finding {
    // Stable sort: within a verdict collisions come first, then false positives, then distribution.
    failures.sort_by_key(|failure| Reverse(failure.verdict));
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
        dataset: raw.dataset.clone(),
        function: raw.function.clone(),
        verdict,
        failed,
        reasons: failures.into_iter().map(|failure| failure.reason).collect(),
        worst_bits: worst(rows).map_or(0, |row| row.bits),
        rank: 0,
        example: raw
            .example
            .map(|(first, second)| [first, second].map(|index| printed(dataset.keys.get(index)))),
    }
}

/// Returns the row furthest above chance: among failed rows, the one with the largest ratio. If no row failed, ratios
/// are noise at widths with hardly any expected collisions, so the row with the least p-value above the expectation
/// counts, or else the row least certain to be below. Among equal rows the widest counts.
fn worst<'a>(rows: &[&'a CollisionRow]) -> Option<&'a CollisionRow> {
    let failed = rows
        .iter()
        .copied()
        .filter(|row| row.verdict > Verdict::WithinChance);
    // `max_by` takes the last of equal rows.
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

/// Returns the ratio to chance, or 1 if chance gives no collisions.
fn ratio(row: &CollisionRow) -> f64 {
    collisions::ratio(row).unwrap_or(1.0)
}

/// Returns the widths that failed, largest ratio first.
fn collision_failures(rows: &[&CollisionRow]) -> Vec<Failure> {
    let mut failed: Vec<&CollisionRow> = rows
        .iter()
        .copied()
        .filter(|row| row.verdict > Verdict::WithinChance)
        .collect();
    failed.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    let own_bits = rows.iter().map(|row| row.bits).max();
    failed
        .into_iter()
        .map(|row| Failure {
            test: FailedTest::Collisions,
            verdict: row.verdict,
            reason: format!(
                "{} of {} keys collide at {} bits; chance: {}{}",
                grouped(row.collisions),
                grouped(row.keys),
                row.bits,
                words::figure(row.expected),
                if own_bits == Some(row.bits) {
                    beside_all_bits(row)
                } else {
                    String::new()
                },
            ),
        })
        .collect()
}

/// Returns the chance of all compared bits for a narrower function: chance at its own width hides the missing bits.
fn beside_all_bits(row: &CollisionRow) -> String {
    let expected = CollisionLaw::new(row.keys, IDEAL_BITS).expected();
    if row.bits >= IDEAL_BITS || expected <= 0.0 {
        return String::new();
    }
    format!(", of all {IDEAL_BITS} bits {}", words::figure(expected))
}

/// Returns one failure for the output bits and one for each kind of buckets, if any of the kind failed.
fn distribution_failures(
    rows: &[&DistributionRow],
    shards: &[&ShardRow],
    (tests, shard_tests): (usize, usize),
) -> Vec<Failure> {
    let failed_of = |kind| {
        let mut failed: Vec<&DistributionRow> = rows
            .iter()
            .copied()
            .filter(|row| row.kind == kind && bonferroni(row.p_value, tests) < FAMILY_LEVEL)
            .collect();
        // Sorted by unevenness, since the p-values of bad rows are all zero.
        failed.sort_by(|a, b| unevenness(b).total_cmp(&unevenness(a)));
        failed
    };
    let mut reasons = Vec::from_iter(words::bits(&failed_of(DistributionKind::BitShare)));
    for (kind, choice, by) in [
        (
            DistributionKind::PowerOfTwoBuckets,
            Choice::LowBits,
            "the low bits",
        ),
        (DistributionKind::PrimeBuckets, Choice::Remainder, "remainder"),
    ] {
        if let Some(row) = failed_of(kind).first() {
            let fullest = shards.iter().filter(|shard| shard.choice == choice);
            let fullest = fullest
                .max_by(|a, b| b.p_value.total_cmp(&a.p_value))
                .map(|shard| {
                    let place = words::placed(shard.buckets, "shards", choice);
                    let [fullest, chance] = [shard.fullest as f64, shard.fullest_expected]
                        .map(|keys| grouped(keys.round() as u64));
                    let verdict = match bonferroni(shard.p_value, shard_tests) < FAMILY_LEVEL {
                        true => "",
                        false => ", within chance",
                    };
                    format!("; the fullest of {place} has {fullest} keys (chance: {chance}{verdict})")
                });
            reasons.push(format!(
                "{} buckets by {by} are uneven{}",
                grouped(row.parameter),
                fullest.unwrap_or_default()
            ));
        }
    }
    reasons
        .into_iter()
        .map(|reason| Failure {
            test: FailedTest::Distribution,
            verdict: Verdict::WorseThanChance,
            reason,
        })
        .collect()
}

/// Returns chi-square over its mean; for a bit, the distance of its share from one half.
pub(crate) fn unevenness(row: &DistributionRow) -> f64 {
    match row.kind {
        DistributionKind::BitShare => (row.statistic - 0.5).abs(),
        DistributionKind::PowerOfTwoBuckets | DistributionKind::PrimeBuckets => {
            row.statistic / row.dof.max(1) as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ["3,720 of 1,000,000 keys collide at 28 bits; chance: 1,860, of all 32 bits 116"]
        );
        // Low bits of a wide function are not missing bits.
        assert_eq!(
            reason(&[(32, 116), (20, 900_000)]),
            ["900,000 of 1,000,000 keys collide at 20 bits; chance: 355,464"]
        );
    }
}
