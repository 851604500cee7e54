//! The rule that compares a number of collisions with chance, the same for all questions.

use crate::record::Verdict;
use statistics::correction::FAMILY_LEVEL;

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
