//! Many tests at once.

/// Significance level of a whole file: how often all its verdicts together give a false alarm, at most.
pub const FAMILY_LEVEL: f64 = 0.01;

/// The p-value of one test among `tests`, by Bonferroni: right whatever the tests have to do with each other.
pub fn bonferroni(p_value: f64, tests: usize) -> f64 {
    (p_value * tests as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_p_value_stays_one() {
        assert_eq!(bonferroni(0.25, 2), 0.5);
        assert_eq!(bonferroni(0.5, 207), 1.0);
        assert_eq!(bonferroni(0.0, 207), 0.0);
    }
}
