//! The Poisson distribution.

use super::root::rising_root;
use super::special::incomplete_gamma;

/// Returns the probability of at most `count` events when `mean` events are expected.
pub fn at_most(count: u64, mean: f64) -> f64 {
    incomplete_gamma(count as f64 + 1.0, mean).1
}

/// Returns the probability of at least `count` events when `mean` events are expected.
pub fn at_least(count: u64, mean: f64) -> f64 {
    if count == 0 {
        return 1.0;
    }
    incomplete_gamma(count as f64, mean).0
}

/// Returns a confidence interval for the mean of a Poisson variable at confidence `level`, from one observed count.
///
/// Garwood's exact interval ("Fiducial Limits for the Poisson Distribution", Biometrika 28, 1936). The lower end is 0
/// for a count of 0.
///
/// ```
/// let (low, high) = statistics::poisson::mean_interval(0, 0.95);
/// assert_eq!(low, 0.0);
/// assert!((high - 3.688_879_454).abs() < 1e-9); // -ln 0.025
/// ```
pub fn mean_interval(count: u64, level: f64) -> (f64, f64) {
    let tail = (1.0 - level) / 2.0;
    let k = count as f64;
    // Over 12 standard deviations: beyond either end for any level that an `f64` distinguishes from 1.
    let reach = 12.0 * (k + 1.0).sqrt() + 50.0;
    let low = if count == 0 {
        0.0
    } else {
        rising_root((k - reach).max(0.0), k, |mean| at_least(count, mean) - tail)
    };
    let high = rising_root(k, k + reach, |mean| tail - at_most(count, mean));
    (low, high)
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{ChiSquared, ContinuousCDF as _};

    use super::*;
    use crate::test_support::assert_close;

    #[test]
    fn nothing_expected_means_nothing_seen() {
        assert_eq!((at_most(0, 0.0), at_least(0, 0.0)), (1.0, 1.0));
        assert_eq!((at_most(5, 0.0), at_least(5, 0.0)), (1.0, 0.0));
    }

    #[test]
    fn the_interval_is_the_one_by_chi_square_quantiles() {
        for count in [1_u64, 2, 17, 116, 3901] {
            let (low, high) = mean_interval(count, 0.99);
            let quantile = |p, dof| ChiSquared::new(dof).unwrap().inverse_cdf(p) / 2.0;
            assert_close!(low, quantile(0.005, 2.0 * count as f64), 1e-6, "{count}");
            assert_close!(high, quantile(0.995, 2.0 * count as f64 + 2.0), 1e-6, "{count}");
        }
        let (low, high) = mean_interval(1_000_000, 0.99);
        assert!(low > 997_000.0 && high < 1_003_000.0, "{low} {high}");
    }
}
