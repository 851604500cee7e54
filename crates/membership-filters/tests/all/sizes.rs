//! The README's statements about the sizes and rates of filters.

use membership_filters::guava::Parameters;
use membership_filters::redisbloom::{BloomFilter as RedisBloomFilter, Parameters as RedisBloomParameters};
use membership_filters::{CuckooParameters, Parameters as BlockedParameters};

const README: &str = include_str!("../../README.md");

/// The table under "Which one".
#[test]
fn bits_and_rates_are_those_of_the_parameters() {
    const ELEMENTS: u64 = 10_000_000;
    // Bytes and rate of a filter, by the rate that it is made for.
    type Figures = fn(f64) -> (u64, f64);
    let bloom: Figures = |fpp| {
        let parameters = Parameters::new(ELEMENTS, fpp).unwrap();
        (parameters.bits() / 8, parameters.rate())
    };
    let filters: [(&str, Figures); 6] = [
        ("guava::BloomFilter", bloom),
        ("guava::ConcurrentBloomFilter", bloom),
        // A counter of 4 bits in place of each bit.
        ("CountingBloomFilter", |fpp| {
            let parameters = Parameters::new(ELEMENTS, fpp).unwrap();
            (parameters.bits() / 2, parameters.rate())
        }),
        ("CuckooFilter", |fpp| {
            let parameters = CuckooParameters::new(ELEMENTS, fpp).unwrap();
            (parameters.memory_bytes(), parameters.rate_at(ELEMENTS))
        }),
        ("redisbloom::BloomFilter", |fpp| {
            // A tenth of the keys, for a filter of ten times as many takes long to fill.
            let parameters = RedisBloomParameters::new(ELEMENTS / 100, fpp);
            let mut filter = RedisBloomFilter::new(&parameters).unwrap();
            for id in 0..1_000_000_i64 {
                filter.insert(&id.to_le_bytes()).unwrap();
            }
            (filter.info().size * 10, filter.expected_rate())
        }),
        ("BloomFilter", |fpp| {
            let parameters = BlockedParameters::new(ELEMENTS, fpp).unwrap();
            (parameters.memory_bytes(), parameters.rate_at(ELEMENTS))
        }),
    ];
    let per_element = |bytes: u64| bytes as f64 * 8.0 / ELEMENTS as f64;
    let lines = filters.map(|(name, figures)| {
        let ((bytes, rate), (more, lower)) = (figures(0.01), figures(0.0001));
        format!(
            "| `{name}` | {:.1} ({:.2} %) | {:.1} ({:.4} %) |",
            per_element(bytes),
            rate * 100.0,
            per_element(more),
            lower * 100.0
        )
    });
    let is_stated = |line: &String| README.contains(line);
    assert!(lines.iter().all(is_stated), "{}", lines.join("\n"));
}
