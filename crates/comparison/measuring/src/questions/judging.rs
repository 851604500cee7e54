//! Functions that several questions judge with: they compare collisions with chance, and format the figures of reasons.

use crate::record::{Choice, Verdict};
use statistics::correction::FAMILY_LEVEL;
use terminal::number::grouped;

/// The number of hash bits that the filter policy uses and the ideal hash has.
pub(crate) const IDEAL_BITS: u32 = 32;

/// Collisions are far worse than chance if they certainly exceed it by this ratio. Collisions double with each lost
/// bit, so four bits are lost.
pub(crate) const FAR_WORSE_RATIO: f64 = 16.0;

/// Confidence of the interval for a mean number of collisions.
pub(crate) const INTERVAL_LEVEL: f64 = 0.99;

/// Returns the verdict of one row. Verdicts depend on the number of all tests, so judging is a step after measuring.
pub(crate) fn verdict(collisions: f64, expected: f64, ci_low: f64, p_adjusted: f64) -> Verdict {
    if p_adjusted >= FAMILY_LEVEL {
        Verdict::WithinChance
    } else if collisions < expected {
        Verdict::FewerThanChance
    } else if ci_low >= FAR_WORSE_RATIO * expected {
        Verdict::FarWorseThanChance
    } else {
        Verdict::WorseThanChance
    }
}

/// Formats a positive number with about two significant digits, or as a whole number from 10 on.
pub(crate) fn rounded(number: f64) -> String {
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
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        _ if percent > 99.9 && percent < 100.0 => format!("{percent:.4} %"),
        _ if percent >= 10.0 => format!("{percent:.1} %"),
        _ if percent >= 1.0 || percent == 0.0 => format!("{percent:.2} %"),
        _ if percent >= 0.1 => format!("{percent:.3} %"),
        _ => format!("{percent:.4} %"),
    }
}

/// Describes a number of buckets or shards and the way in which they are chosen.
pub(crate) fn placed(number: u64, what: &str, choice: Choice) -> String {
    format!("{} {what} by {}", grouped(number), choice.describe())
}
