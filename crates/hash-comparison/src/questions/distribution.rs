//! Evenness: buckets of a table, and ones in each output bit.

use super::{Failure, Measure, Question, rows};
use crate::keys::Dataset;
use crate::names::listed;
use crate::record::{Choice, FailedTest, Verdict, about, stored};
use crate::values::{Hashed, in_buckets};
use crate::words::{percent, placed};
use statistics::chi_square;
use statistics::correction::{FAMILY_LEVEL, bonferroni};

stored! {
    /// The question that a row of `distribution.csv` answers.
    pub enum DistributionKind {
        /// Chi-square over `parameter` buckets, a power of two: the low bits choose.
        PowerOfTwoBuckets,
        /// Chi-square over `parameter` buckets, a prime: the remainder chooses.
        PrimeBuckets,
        /// Share of keys whose output bit `parameter` (0 is the lowest) is one; the p-value is that of the
        /// chi-square with one degree of freedom against one half.
        BitShare,
    }
}

rows! {
    /// A row of `distribution.csv`.
    pub struct DistributionRow: [dataset, function] {
        /// The question.
        pub kind: DistributionKind,
        /// Number of buckets, or index of the output bit.
        pub parameter: u64,
        /// Chi-square, or the share of ones.
        pub statistic: f64,
        /// Degrees of freedom behind the p-value.
        pub dof: u64,
        /// Upper-tail p-value: the probability that a random function is at least as uneven.
        pub p_value: f64,
    }
}

pub(super) const QUESTION: Question = Question {
    measure: Measure::Values(|dataset, hashed, records| {
        records.distribution.extend(measure(dataset, hashed));
    }),
    failures: |records, dataset, function| failures(&records.distribution, &dataset.name, &function.name),
    ..Question::NONE
};

/// Bucket counts of a table by masking. The [`COUNTS_USED`] largest that the keys can fill are tested.
const POWERS_OF_TWO: [u64; 5] = [65_536, 4096, 256, 16, 2];
/// Bucket counts of a table by remainder: the largest prime below each power of two, and 3.
const PRIMES: [u64; 5] = [65_521, 4093, 251, 13, 3];
/// The number of bucket counts of either kind that are tested.
const COUNTS_USED: usize = 3;
/// Least expected keys in a bucket: below, the chi-square distribution is a poor approximation (Cochran 1954).
const LEAST_EXPECTED: u64 = 5;

/// Returns the rows of one function on one dataset: power-of-two bucket counts, prime ones, then bits from the lowest.
///
/// Of the counts 65536, 4096, 256, 16 and 2 (65521, 4093, 251, 13 and 3), the three largest are tested that have at
/// least five keys per bucket and that the function has bits for. Fewer than ten keys give no bucket rows, and an empty
/// set gives no rows at all.
///
/// # Panics
///
/// Panics if `hashed` is not of the keys of `dataset`.
pub fn measure(dataset: &Dataset, hashed: &Hashed<'_>) -> Vec<DistributionRow> {
    let values = hashed.values();
    assert_eq!(values.len(), dataset.keys.len(), "values of other keys");
    if values.len() == 0 {
        return Vec::new();
    }
    let keys = values.len() as u64;
    let bits = hashed.function.compared_bits();
    let row = |kind, parameter, statistic, dof, p_value| DistributionRow {
        dataset: dataset.name.clone(),
        function: hashed.function.name.to_owned(),
        kind,
        parameter,
        statistic,
        dof,
        p_value,
    };
    let usable = |counts: [u64; 5]| {
        counts
            .into_iter()
            .filter(|&count| count * LEAST_EXPECTED <= keys && count <= 1 << bits)
            .take(COUNTS_USED)
    };
    let mut rows = Vec::new();
    let mut tested = |kind, counts: &[u64]| {
        let buckets = counts.len() as u64;
        let statistic = chi_square_of(counts, keys, bits);
        let p_value = chi_square::upper_tail(statistic, buckets - 1);
        rows.push(row(kind, buckets, statistic, buckets - 1, p_value));
    };
    for (kind, counts) in [
        (DistributionKind::PowerOfTwoBuckets, POWERS_OF_TWO),
        (DistributionKind::PrimeBuckets, PRIMES),
    ] {
        for buckets in usable(counts) {
            let values = values.clone().map(u64::from);
            tested(kind, &in_buckets(values, buckets, |value| value % buckets));
        }
    }
    for (bit, ones) in (0..bits).zip(ones(values)) {
        let (ones, n) = (ones as f64, keys as f64);
        let above = 2.0 * ones - n;
        let p_value = chi_square::upper_tail(above * above / n, 1);
        rows.push(row(
            DistributionKind::BitShare,
            u64::from(bit),
            ones / n,
            1,
            p_value,
        ));
    }
    rows
}

/// Counts the values with each bit set, lowest bit first.
fn ones(values: impl Iterator<Item = u32> + Clone) -> impl Iterator<Item = u64> {
    (0..u32::BITS).map(move |bit| values.clone().map(|value| u64::from(value >> bit & 1)).sum())
}

/// Returns Pearson's statistic of the counts of `keys` values against a random function of `bits` bits, a bucket for
/// each remainder.
///
/// The remainders by a prime are not quite equally likely, since the prime does not divide the number of values; the
/// expectation of each bucket takes that into account. For a power of two the remainder is the low bits.
fn chi_square_of(counts: &[u64], keys: u64, bits: u32) -> f64 {
    let keys = keys as f64;
    let buckets = counts.len() as u64;
    let range = 1_u64 << bits;
    let (least, larger) = (range / buckets, range % buckets);
    counts
        .iter()
        .zip(0_u64..)
        .map(|(&count, bucket)| {
            let of_range = least + u64::from(bucket < larger);
            let expected = keys * (of_range as f64 / range as f64);
            let above = count as f64 - expected;
            above * above / expected
        })
        .sum()
}

/// Returns one failure for the output bits and one for each kind of buckets, if any of the kind failed: p-values below
/// 1 % after correction for the number of rows in the file.
fn failures(all: &[DistributionRow], dataset: &str, function: &str) -> Vec<Failure> {
    let failed_of = |kind| {
        let rows = about(all, dataset, function).filter(|row| row.kind == kind);
        let mut failed: Vec<&DistributionRow> = rows
            .filter(|row| bonferroni(row.p_value, all.len()) < FAMILY_LEVEL)
            .collect();
        // Sorted by unevenness, since the p-values of bad rows are all zero.
        failed.sort_by(|a, b| unevenness(b).total_cmp(&unevenness(a)));
        failed
    };
    let failure = |buckets, reason| Failure {
        test: FailedTest::Distribution,
        verdict: Verdict::WorseThanChance,
        buckets,
        reason,
    };
    let uneven = bits(&failed_of(DistributionKind::BitShare));
    let mut failures = Vec::from_iter(uneven.map(|reason| failure(None, reason)));
    for (kind, choice) in [
        (DistributionKind::PowerOfTwoBuckets, Choice::LowBits),
        (DistributionKind::PrimeBuckets, Choice::Remainder),
    ] {
        if let Some(row) = failed_of(kind).first() {
            let reason = format!("{} are uneven", placed(row.parameter, "buckets", choice));
            failures.push(failure(Some(choice), reason));
        }
    }
    failures
}

/// Returns chi-square over its mean; for a bit, the distance of its share from one half.
fn unevenness(row: &DistributionRow) -> f64 {
    match row.kind {
        DistributionKind::BitShare => (row.statistic - 0.5).abs(),
        DistributionKind::PowerOfTwoBuckets | DistributionKind::PrimeBuckets => {
            row.statistic / row.dof.max(1) as f64
        }
    }
}

/// Describes the defects of output bits from their rows, worst first. Returns `None` without rows.
fn bits(rows: &[&DistributionRow]) -> Option<String> {
    let (constant, uneven): (Vec<&DistributionRow>, Vec<&DistributionRow>) = rows
        .iter()
        .partition(|row| row.statistic == 0.0 || row.statistic == 1.0);
    let mut parts = Vec::new();
    let mut indices: Vec<u64> = constant.iter().map(|row| row.parameter).collect();
    indices.sort_unstable();
    match indices.len() {
        0 => {}
        1 => parts.push(format!("bit {} is constant", indices[0])),
        _ => parts.push(format!("bits {} are constant", listed(&indices, "and"))),
    }
    if let Some(worst) = uneven.first() {
        let others = match uneven.len() {
            1 => String::new(),
            several => format!("; {} more uneven", several - 1),
        };
        let (bit, share) = (worst.parameter, percent(worst.statistic));
        parts.push(format!(
            "bit {bit} is set in {share} of hashes (expected 50 %){others}"
        ));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
