//! Searches by halving.

/// Returns the largest number from `least` to `limit` that fits, if every number below a fitting one fits too; `None`
/// if the least does not.
///
/// ```
/// use filter_policy::sizing::largest;
///
/// assert_eq!(largest(1, 100, |number| number * number <= 50), Some(7));
/// ```
pub fn largest(least: u64, limit: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
    if !fits(least) {
        return None;
    }
    let (mut low, mut high) = (least, limit);
    while low < high {
        // Rounds up, so that the search ends.
        let middle = high - (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Some(low)
}

/// Returns the least number from `least` to `limit` that fits, if every number above a fitting one fits too.
pub(crate) fn least(least: u64, limit: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
    match largest(least, limit, |number| !fits(number)) {
        None => Some(least),
        Some(too_small) => (too_small < limit).then_some(too_small + 1),
    }
}

/// Returns the lowest false-positive rate whose filter fits, from one half down to 2^-1000, within a millionth, if the
/// filters of higher rates than a fitting one fit too; `None` if that of one half does not.
pub fn lowest_rate(fits: impl Fn(f64) -> bool) -> Option<f64> {
    /// The resolution: a halving of the rate has so many parts.
    const PARTS: u64 = 1_000_000;
    let rate = |parts: u64| libm::exp2(-(parts as f64) / PARTS as f64);
    largest(PARTS, 1_000 * PARTS, |parts| fits(rate(parts))).map(rate)
}
