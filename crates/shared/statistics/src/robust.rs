//! Robust statistics: estimates of location and spread that a few outliers do not move.

use super::binomial;

/// Returns the median of `values`, or `None` without values. The median of an even number of values is the mean of the
/// middle two. Reorders `values`.
pub fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[half]),
        _ => Some(f64::midpoint(values[half - 1], values[half])),
    }
}

/// Returns the median absolute deviation from `center`, not scaled to a standard deviation; `None` without values.
pub fn median_absolute_deviation(values: &[f64], center: f64) -> Option<f64> {
    let mut deviations: Vec<f64> = values.iter().map(|value| (value - center).abs()).collect();
    median(&mut deviations)
}

/// Returns a distribution-free confidence interval for the population median at confidence `level`, or `None` without
/// values. Reorders `values`.
///
/// The ends are the r-th smallest and r-th largest values (D. R. Thompson, Annals of Mathematical Statistics 7, 1936):
/// the median lies outside with probability 2 P(B < r), where B is binomial with probability 1/2. If no r reaches
/// `level` (below six values at 95 %), the interval spans all values.
pub fn median_interval(values: &mut [f64], level: f64) -> Option<(f64, f64)> {
    values.sort_unstable_by(f64::total_cmp);
    let count = values.len();
    let trials = count as f64;
    // P(B < r) equals P(B > count - r).
    let outside = |rank: usize| 2.0 * binomial::at_least((count - rank + 1) as f64, trials, 0.5);
    let rank = (1..=count / 2)
        .take_while(|rank| outside(*rank) <= 1.0 - level)
        .last()
        .unwrap_or(1);
    Some((*values.get(rank - 1)?, *values.get(count - rank)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Ranks from tables of the sign test: n = 15: 4, n = 21: 6, n = 7: 1, all at 95 %.
    #[test]
    fn intervals_of_the_median_are_order_statistics() {
        let interval = |count: u32| {
            let mut values: Vec<f64> = (1..=count).rev().map(f64::from).collect();
            median_interval(&mut values, 0.95)
        };
        assert_eq!(interval(15), Some((4.0, 12.0)));
        assert_eq!(interval(21), Some((6.0, 16.0)));
        assert_eq!(interval(7), Some((1.0, 7.0)));
        // Too few values for 95 %: the interval spans all of them.
        assert_eq!(interval(3), Some((1.0, 3.0)));
        assert_eq!(interval(1), Some((1.0, 1.0)));
        assert_eq!(interval(0), None);
    }

    #[test]
    fn odd_even_and_no_values() {
        assert_eq!(median(&mut [3.0, 1.0, 100.0]), Some(3.0));
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&mut []), None);
        assert_eq!(median_absolute_deviation(&[1.0, 2.0, 4.0, 100.0], 3.0), Some(1.5));
        assert_eq!(median_absolute_deviation(&[], 3.0), None);
    }
}
