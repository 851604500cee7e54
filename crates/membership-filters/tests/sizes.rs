//! The memory table of the README.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use guava_bloom::{Long, Parameters};
use membership_filters::{
    CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters, GrowingBloomFilter, GrowingParameters,
};

const ELEMENTS: i64 = 1_000_000;

/// Bits for each element, as the README prints them.
fn bits(memory_bytes: u64) -> String {
    format!("{:.1}", memory_bytes as f64 * 8.0 / ELEMENTS as f64)
}

fn row(fpp: f64) -> [String; 5] {
    let parameters = Parameters::new(ELEMENTS, fpp).unwrap();
    let cuckoo = CuckooParameters::new(ELEMENTS as u64, fpp).unwrap();
    let cuckoo = CuckooFilter::new(Long, &cuckoo).unwrap();
    let counting = CountingBloomFilter::new(Long, &parameters, CounterWidth::FOUR).unwrap();
    let growing = |capacity| {
        let parameters = GrowingParameters::new(capacity, fpp).unwrap();
        let mut filter = GrowingBloomFilter::new(Long, &parameters).unwrap();
        for id in 0..ELEMENTS {
            filter.insert(&id).unwrap();
        }
        bits(filter.stats().memory_bytes)
    };
    [
        bits(parameters.bit_size() / 8),
        bits(cuckoo.stats().memory_bytes),
        bits(counting.stats().memory_bytes),
        growing(1_000_000),
        growing(10_000),
    ]
}

#[test]
fn the_memory_table_is_right() {
    let table: Vec<&str> = include_str!("../README.md")
        .lines()
        .filter(|line| line.starts_with("| e") || line.starts_with("| the same"))
        .collect();
    assert_eq!(table.len(), 5);
    for (line, (percent, basis_point)) in table.iter().zip(row(0.01).iter().zip(&row(0.0001))) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells[2..], [percent, basis_point], "{line}");
    }
}
