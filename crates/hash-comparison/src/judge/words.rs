//! Figures in readable form.

use crate::record::{Choice, DistributionRow};
use records::number::grouped;

/// Formats a positive number with about two significant digits, or as a whole number from 10 on.
pub(super) fn figure(number: f64) -> String {
    if number >= 9.95 {
        return grouped(number.round() as u64);
    }
    match number {
        0.0 => "none".to_owned(),
        _ if number >= 0.995 => format!("{number:.1}"),
        _ if number >= 0.0995 => format!("{number:.2}"),
        _ if number >= 0.001 => format!("{number:.3}"),
        _ => format!("{number:.1e}"),
    }
}

/// Formats a share in per cent with about three significant digits. A share below 1 never reads as 100 %.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        _ if percent > 99.9 && percent < 100.0 => format!("{percent:.4} %"),
        _ if percent >= 10.0 => format!("{percent:.1} %"),
        _ if percent >= 1.0 || percent == 0.0 => format!("{percent:.2} %"),
        _ if percent >= 0.1 => format!("{percent:.3} %"),
        _ => format!("{percent:.4} %"),
    }
}

/// Describes the defects of output bits from their rows, worst first. Returns `None` without rows.
pub(super) fn bits(rows: &[&DistributionRow]) -> Option<String> {
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

/// Describes a number of buckets or shards and the way in which they are chosen.
pub(crate) fn placed(number: u64, what: &str, choice: Choice) -> String {
    let by = match choice {
        Choice::LowBits => "the low bits",
        Choice::HighBits => "the high bits",
        Choice::Fibonacci => "multiplication",
        Choice::Remainder => "remainder",
    };
    format!("{} {what} by {by}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::DistributionKind;

    #[test]
    fn numbers_read_well() {
        let figures = [0.0, 2.71e-8, 0.0034, 0.24, 0.999, 3.839, 9.96, 116.4, 1860.3].map(figure);
        assert_eq!(
            figures,
            [
                "none", "2.7e-8", "0.003", "0.24", "1.0", "3.8", "10", "116", "1,860"
            ]
        );
        assert_eq!(
            [0.923, 0.0117, 0.001_66, 0.000_113, 0.0, 0.999_98, 1.0].map(percent),
            [
                "92.3 %",
                "1.17 %",
                "0.166 %",
                "0.0113 %",
                "0.00 %",
                "99.9980 %",
                "100.0 %"
            ]
        );
    }

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
