//! Counts and judges false positives.

use membership_filters::{Bytes, Hashed};

use super::hashes::Hashes;

/// Returns how many of a million absent keys a filter finds.
pub(crate) fn false_positives(seed: u64, contains: impl Fn(Hashed<Bytes>) -> bool) -> u64 {
    Hashes::from_seed(seed)
        .take(1_000_000)
        .filter(|&hash| contains(hash))
        .count() as u64
}

/// Panics unless the count is within five standard deviations of 1,000,000 trials with this probability, which fails
/// once in some millions, plus 10 % of the expected count for the random error of a single filter.
pub(crate) fn assert_near(count: u64, probability: f64) {
    let expected = probability * 1e6;
    let allowed = 5.0 * expected.sqrt() + 0.1 * expected;
    assert!(
        (count as f64 - expected).abs() <= allowed,
        "{count} false positives, expected are {expected} and at most {allowed} more or less"
    );
}
