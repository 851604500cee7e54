//! Known counts of Guava's filters, from its own tests and from published programs.

use membership_filters::{
    BloomFilter, DEFAULT_FALSE_POSITIVE_RATE, Funnel, Parameters, Strategy, Utf8, Utf16Units,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

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

/// Returns `new UUID(0x1234567800004000 + (i << 32), 0x8000000000000000 + i).toString()`.
fn uuid(i: u64) -> String {
    let high = 0x1234_5678_0000_4000_u64.wrapping_add(i << 32);
    let low = 0x8000_0000_0000_0000 + i;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

#[test]
fn ten_million_insertions_at_one_in_ten_thousand() {
    let mut lines = include_str!("../../data/guava/uuid_keys.jsonl").lines();
    let mut next = || -> Value { serde_json::from_str(lines.next().unwrap()).unwrap() };
    let parameters = Parameters::new(10_000_000, 1e-4).unwrap();
    let sizes = json!({
        "expect": parameters.insertions(),
        "fpp": parameters.false_positive_rate(),
        "num_bits": parameters.optimal_bits(),
        "bit_size": parameters.bits(),
        "k": parameters.probe_count(),
        "writeTo_len": parameters.stream_len(),
        "MiB_of_bits": parameters.bits() as f64 / 8.0 / 1024.0 / 1024.0,
    });
    assert_eq!(next(), sizes);

    let n = 1_000_000;
    let mut filter = BloomFilter::new(Utf8, &Parameters::new(n, 1e-4).unwrap()).unwrap();
    for i in 0..n {
        filter.insert(&uuid(i));
    }
    let absent = (n..2 * n).map(uuid);
    let run = json!({
        "deterministic_uuid": "new UUID(0x1234567800004000+(i<<32), 0x8000000000000000+i).toString()",
        "n": n,
        "fpp": 1e-4,
        "sha256": hex::encode(Sha256::digest(filter.to_bytes())),
        "len": filter.stream_len(),
        "absent_1000000_false_positives": absent.filter(|uuid| filter.might_contain(uuid)).count(),
        "sample_0": uuid(0),
        "sample_5": uuid(5),
    });
    assert_eq!(next(), run);
}
