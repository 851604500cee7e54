//! Many tests at once.

/// Significance level of a whole file: how often all its verdicts together give a false alarm, at most.
pub const FAMILY_LEVEL: f64 = 0.01;

/// The p-value of one test among `tests`, by Bonferroni: right whatever the tests have to do with each other.
pub fn bonferroni(p_value: f64, tests: usize) -> f64 {
    (p_value * tests as f64).min(1.0)
}
