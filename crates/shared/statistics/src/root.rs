//! Searches along monotone functions.

/// Returns the point between `low` and `high` where the rising function `f` crosses zero, to the last bits.
///
/// Plain bisection: slow, robust and identical on every platform.
pub(super) fn rising_root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high || high - low <= 1e-14 * high {
            return middle;
        }
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Returns the largest number from `holds_at` to `limit` that satisfies `predicate`, which holds at `holds_at` and
/// stays false once it is false.
pub fn last_where(holds_at: u64, limit: u64, predicate: impl Fn(u64) -> bool) -> u64 {
    // Doubling steps find a bracket close to the start, where evaluation is cheap.
    let (mut good, mut step) = (holds_at, 1);
    let mut bad = loop {
        let next = good.saturating_add(step).min(limit);
        if next == good {
            return good;
        }
        if !predicate(next) {
            break next;
        }
        good = next;
        step *= 2;
    };
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if predicate(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

/// Returns the least and the largest count from 0 to `most` that are no surprise; surprises lie on both sides of
/// `middle`.
pub fn band(middle: f64, most: u64, is_surprise: impl Fn(u64) -> bool) -> (u64, u64) {
    let middle = (middle as u64).min(most);
    let down = last_where(0, middle, |steps| !is_surprise(middle - steps));
    let up = last_where(0, most - middle, |steps| !is_surprise(middle + steps));
    (middle - down, middle + up)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_found_to_the_last_bits() {
        assert!((rising_root(0.0, 10.0, |x| x * x - 2.0) - core::f64::consts::SQRT_2).abs() < 1e-13);
        assert!(rising_root(0.0, 1.0, |_| 1.0) < 1e-300);
    }

    #[test]
    fn the_last_number_is_found_from_any_start() {
        for last in [0, 1, 2, 3, 10, 1000] {
            assert_eq!(last_where(0, 1000, |k| k <= last), last);
            assert_eq!(last_where(last, u64::MAX, |k| k <= last), last);
        }
    }
}
