//! The clock, and the statistics of what it says.

use std::time::Instant;

/// What `work` gives, and how long it took, in nanoseconds.
#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, here and nowhere else"
)]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_nanos() as f64)
}

/// The middle value, or the mean of the two; not a number if there is none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// The median distance from the median.
pub(crate) fn median_deviation(values: &[f64]) -> f64 {
    let center = median(values.to_vec());
    median(values.iter().map(|value| (value - center).abs()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_numbers() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(Vec::new()).is_nan());
        assert_eq!(median_deviation(&[1.0, 1.0, 2.0, 9.0, 9.0]), 1.0);
    }
}
