//! The binomial distribution.

use super::root::rising_root;
use super::special::incomplete_beta;

/// Returns the probability of at least `count` successes in `trials` trials with success probability `p`.
///
/// Counts may be fractional: the distribution is interpolated between whole numbers. A test of overdispersed counts
/// divides both counts by the overdispersion.
pub fn at_least(count: f64, trials: f64, p: f64) -> f64 {
    if count <= 0.0 {
        return 1.0;
    }
    if count > trials {
        return 0.0;
    }
    incomplete_beta(count, trials - count + 1.0, p).0
}

/// Returns a confidence interval for the success probability at confidence `level`, from `count` successes in `trials`.
///
/// Clopper and Pearson's exact interval (Biometrika 26, 1934). Without trials the interval is 0 to 1.
///
/// # Panics
///
/// If `count` is above `trials`.
pub fn proportion_interval(count: u64, trials: u64, level: f64) -> (f64, f64) {
    assert!(count <= trials, "{count} successes in {trials} trials");
    let tail = (1.0 - level) / 2.0;
    let (k, n) = (count as f64, trials as f64);
    let low = if count == 0 {
        0.0
    } else {
        rising_root(0.0, k / n, |p| incomplete_beta(k, n - k + 1.0, p).0 - tail)
    };
    let high = if count == trials {
        1.0
    } else {
        rising_root(k / n, 1.0, |p| tail - incomplete_beta(k + 1.0, n - k, p).1)
    };
    (low, high)
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{Beta, ContinuousCDF as _};

    use super::*;
    use crate::test_support::assert_close;

    #[test]
    fn the_interval_is_the_one_by_beta_quantiles() {
        for (k, n) in [(1_u64, 10_u64), (5, 10), (1172, 100_000), (113, 1_000_000)] {
            let (low, high) = proportion_interval(k, n, 0.95);
            let quantile = |q, a: u64, b: u64| Beta::new(a as f64, b as f64).unwrap().inverse_cdf(q);
            assert_close!(low, quantile(0.025, k, n - k + 1), 1e-6, "{k} {n}");
            assert_close!(high, quantile(0.975, k + 1, n - k), 1e-6, "{k} {n}");
        }
    }

    #[test]
    fn extreme_counts_have_closed_ends() {
        assert_eq!(proportion_interval(0, 0, 0.95), (0.0, 1.0));
        let (low, high) = proportion_interval(0, 100, 0.95);
        assert_eq!(low, 0.0);
        // 1 - 0.025^(1/100)
        assert_close!(high, 0.036_216_692_645_176, 1e-12);
        assert_eq!(proportion_interval(7, 7, 0.95).1, 1.0);
    }
}
