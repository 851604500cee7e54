//! Known counts of Guava's filters, from its own tests.

use membership_filters::{
    BloomFilter, DEFAULT_FALSE_POSITIVE_RATE, Funnel, Parameters, Strategy, Utf8, Utf16Units,
};

/// Inserts the even numbers below 2,000,000 as decimal strings, and compares the false positives among the odd numbers:
/// how many, and those below 900.
fn check(strategy: Strategy, funnel: impl for<'a> Funnel<&'a str>, count: usize, below_900: &[u32]) {
    let parameters = Parameters::new(1_000_000, DEFAULT_FALSE_POSITIVE_RATE)
        .unwrap()
        .with_strategy(strategy);
    let mut filter = BloomFilter::new(funnel, &parameters).unwrap();
    let text = |number: u32| number.to_string();
    for number in (0..2_000_000).step_by(2) {
        filter.insert(&text(number).as_str());
    }
    let contained = |number: &u32| filter.might_contain(&text(*number).as_str());
    assert!((0..2_000_000).step_by(2).all(|number| contained(&number)));
    let found: Vec<u32> = (1..2_000_000).step_by(2).filter(contained).collect();
    assert_eq!(found.len(), count);
    assert!(found.iter().take_while(|&&number| number < 900).eq(below_900));
}

/// Source: `BloomFilterTest.java` of Guava, the three tests with known false positives.
#[test]
fn the_false_positives_are_those_of_guavas_tests() {
    use Strategy::{Murmur128Mitz32, Murmur128Mitz64};
    let below_900 = [
        49, 51, 59, 163, 199, 321, 325, 363, 367, 469, 545, 561, 727, 769, 773, 781,
    ];
    check(Murmur128Mitz32, Utf16Units, 29_824, &below_900);
    let below_900 = [15, 25, 287, 319, 381, 399, 421, 465, 529, 697, 767, 857];
    check(Murmur128Mitz64, Utf16Units, 30_104, &below_900);
    check(Murmur128Mitz64, Utf8, 29_763, &[89, 129, 471, 723, 751, 835, 871]);
}
