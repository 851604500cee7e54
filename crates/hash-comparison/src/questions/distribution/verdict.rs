//! Uneven buckets and output bits.

use super::{DistributionKind, DistributionRow};
use crate::questions::Failure;
use crate::record::{Choice, FailedTest, Verdict, about};
use crate::words::percent;
use records::number::grouped;
use statistics::correction::{FAMILY_LEVEL, bonferroni};

/// Returns one failure for the output bits and one for each kind of buckets, if any of the kind failed: p-values below
/// 1 % after correction for the number of rows in the file.
pub(super) fn failures(all: &[DistributionRow], dataset: &str, function: &str) -> Vec<Failure> {
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
    for (kind, choice, by) in [
        (
            DistributionKind::PowerOfTwoBuckets,
            Choice::LowBits,
            "the low bits",
        ),
        (DistributionKind::PrimeBuckets, Choice::Remainder, "remainder"),
    ] {
        if let Some(row) = failed_of(kind).first() {
            let reason = format!("{} buckets by {by} are uneven", grouped(row.parameter));
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
    match indices.as_slice() {
        [] => {}
        [only] => parts.push(format!("bit {only} is constant")),
        [others @ .., last] => {
            let others: Vec<String> = others.iter().map(u64::to_string).collect();
            parts.push(format!("bits {} and {last} are constant", others.join(", ")));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_told_apart() {
        let row = |parameter, statistic| DistributionRow {
            dataset: String::new(),
            function: String::new(),
            kind: DistributionKind::BitShare,
            parameter,
            statistic,
            dof: 1,
            p_value: 0.0,
        };
        let (a, b, c, d) = (row(7, 1.0), row(0, 0.0), row(3, 0.612), row(4, 0.45));
        assert_eq!(bits(&[]), None);
        assert_eq!(bits(&[&a]).unwrap(), "bit 7 is constant");
        assert_eq!(
            bits(&[&a, &b, &c]).unwrap(),
            "bits 0 and 7 are constant; bit 3 is set in 61.2 % of hashes (expected 50 %)"
        );
        assert_eq!(
            bits(&[&c, &d]).unwrap(),
            "bit 3 is set in 61.2 % of hashes (expected 50 %); 1 more uneven"
        );
    }
}
