//! A middle and a spread that a few outliers do not move.

/// Median of `values`, which are reordered; the mean of the two middle ones where their number is even; `None` where
/// there is none.
pub fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[half]),
        _ => Some(f64::midpoint(values[half - 1], values[half])),
    }
}

/// Median absolute deviation of `values` from `center`; not scaled to a standard deviation. `None` without values.
pub fn median_absolute_deviation(values: &[f64], center: f64) -> Option<f64> {
    let mut deviations: Vec<f64> = values.iter().map(|value| (value - center).abs()).collect();
    median(&mut deviations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_even_and_no_values() {
        assert_eq!(median(&mut [3.0, 1.0, 100.0]), Some(3.0));
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&mut []), None);
        assert_eq!(median_absolute_deviation(&[1.0, 2.0, 4.0, 100.0], 3.0), Some(1.5));
        assert_eq!(median_absolute_deviation(&[], 3.0), None);
    }
}
