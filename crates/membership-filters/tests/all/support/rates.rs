//! False positives: counted and judged.

use guava_bloom::Hash128;

use super::hashes::Hashes;

/// How many of a million absent elements a filter finds.
pub(crate) fn false_positives(seed: u64, might_contain: impl Fn(Hash128) -> bool) -> u64 {
    Hashes::from_seed(seed)
        .take(1_000_000)
        .filter(|&hash| might_contain(hash))
        .count() as u64
}

/// Panics unless the count is one that 1,000,000 trials of this probability give but for one case in some millions (five
/// standard deviations), with 10 % of the probability for the luck of the one filter.
pub(crate) fn assert_near(count: u64, probability: f64) {
    let expected = probability * 1e6;
    let allowed = 5.0 * expected.sqrt() + 0.1 * expected;
    assert!(
        (count as f64 - expected).abs() <= allowed,
        "{count} false positives, expected are {expected} and at most {allowed} more or less"
    );
}
