//! The normal distribution.

use core::f64::consts::FRAC_1_SQRT_2;

use super::root::rising_root;

/// Returns the probability that a standard normal variable is at least `z`, accurate far into the tail.
pub fn upper_tail(z: f64) -> f64 {
    0.5 * libm::erfc(z * FRAC_1_SQRT_2)
}

/// Returns the `z` that a standard normal variable exceeds with probability `tail`, above 0 and at most one half.
pub fn upper_quantile(tail: f64) -> f64 {
    // Beyond 38.5 the tail rounds to zero.
    rising_root(0.0, 40.0, |z| tail - upper_tail(z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::assert_close;

    #[test]
    fn known_values() {
        assert_eq!(upper_tail(0.0), 0.5);
        assert_close!(upper_tail(3.0), 0.001_349_898_031_630_1, 1e-12);
        assert_close!(upper_tail(20.0), 2.753_624_118_606_23e-89, 1e-10);
        assert_close!(upper_quantile(0.005), 2.575_829_303_548_9, 1e-12);
        assert_close!(upper_quantile(1e-10), 6.361_340_902_404, 1e-11);
    }
}
