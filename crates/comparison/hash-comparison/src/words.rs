//! Figures in readable form.

use crate::record::Choice;
use terminal::number::grouped;

/// The number of hash bits that the filter policy uses and the ideal hash has.
pub(crate) const IDEAL_BITS: u32 = 32;

/// Formats a positive number with about two significant digits, or as a whole number from 10 on.
pub(crate) fn figure(number: f64) -> String {
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
    format!("{} {what} by {}", grouped(number), chosen_by(choice))
}

/// Describes the way in which buckets or shards are chosen.
pub(crate) const fn chosen_by(choice: Choice) -> &'static str {
    match choice {
        Choice::LowBits => "the low bits",
        Choice::HighBits => "the high bits",
        Choice::Fibonacci => "multiplication",
        Choice::Remainder => "remainder",
        Choice::Bit => "a bit",
    }
}
