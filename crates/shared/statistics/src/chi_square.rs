//! The chi-square distribution.

use super::special::incomplete_gamma;

/// Returns the probability that a chi-square variable with `degrees` degrees of freedom is at least `value`.
///
/// Returns 1 without degrees of freedom.
pub fn upper_tail(value: f64, degrees: u64) -> f64 {
    if degrees == 0 {
        return 1.0;
    }
    incomplete_gamma(degrees as f64 / 2.0, value / 2.0).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::assert_close;

    #[test]
    fn agrees_with_closed_forms() {
        // Two degrees: e^(-x/2), far into the tail.
        for value in [1.0, 100.0, 1400.0] {
            assert_close!(upper_tail(value, 2), libm::exp(-value / 2.0), 1e-12);
        }
        // One degree: erfc(sqrt(x/2)).
        assert_close!(upper_tail(900.0, 1), libm::erfc(450.0_f64.sqrt()), 1e-11);
        assert_eq!(
            (
                upper_tail(0.0, 5),
                upper_tail(f64::INFINITY, 5),
                upper_tail(9.0, 0)
            ),
            (1.0, 0.0, 1.0)
        );
    }
}
