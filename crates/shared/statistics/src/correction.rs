//! Correction for multiple testing.

/// The family-wise significance level: the largest probability that the verdicts of a file contain any false alarm.
pub const FAMILY_LEVEL: f64 = 0.01;

/// Returns the Bonferroni-corrected p-value of one of `tests` tests, which is valid even for dependent tests.
pub fn bonferroni(p_value: f64, tests: usize) -> f64 {
    (p_value * tests as f64).min(1.0)
}
