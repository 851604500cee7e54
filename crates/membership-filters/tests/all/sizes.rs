//! The README's statement about the sizes of growing filters.

use guava_bloom::Long;
use membership_filters::{GrowingBloomFilter, GrowingParameters};

const README: &str = include_str!("../../README.md");

/// Returns the README with single blanks for all white space.
fn sentences() -> String {
    README.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_a_growing_filter_takes_depends_on_its_first_link() {
    const ELEMENTS: u64 = 1_000_000;
    let bits = |first: u64, fpp: f64| {
        let parameters = GrowingParameters::new(first, fpp).unwrap();
        let mut filter = GrowingBloomFilter::new(Long, &parameters).unwrap();
        for id in 0..1_000_000_i64 {
            filter.insert(&id).unwrap();
        }
        filter.stats().memory_bytes as f64 * 8.0 / ELEMENTS as f64
    };
    let sentence = format!(
        "a million elements take {:.1} and {:.1} bits each if the first link has room for all of them, and {:.1} and {:.1} \
         if it has room for a hundredth.",
        bits(ELEMENTS, 0.01),
        bits(ELEMENTS, 0.0001),
        bits(ELEMENTS / 100, 0.01),
        bits(ELEMENTS / 100, 0.0001)
    );
    assert!(sentences().contains(&sentence), "{sentence}");
}
