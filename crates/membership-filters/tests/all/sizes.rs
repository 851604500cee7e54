//! The figures of the README's "Which one": those of the committed run, and those that are computed here.

use std::fs;
use std::path::Path;

use guava_bloom::Long;
use membership_filters::{GrowingBloomFilter, GrowingParameters};

const README: &str = include_str!("../../README.md");

/// The README with single blanks for all white space.
fn sentences() -> String {
    README.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A row of the committed `memory.csv`, of this structure and asked rate.
struct Row {
    bits: f64,
    rate: f64,
}

fn row(structure: &str, asked: &str) -> Row {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/reference/memory/memory.csv");
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let column = |name: &str| header.iter().position(|found| *found == name).unwrap();
    let found = lines
        .find(|fields| fields[column("structure")] == structure && fields[column("asked_rate")] == asked)
        .unwrap();
    assert_eq!(found[column("keys")], "10000000");
    Row {
        bits: found[column("allocated_bits_per_key")].parse().unwrap(),
        rate: found[column("rate")].parse().unwrap(),
    }
}

#[test]
fn the_measured_table_is_that_of_the_committed_run() {
    for (name, structure) in [
        ("BloomFilter", "bloom"),
        ("ConcurrentBloomFilter", "concurrent-bloom"),
        ("CountingBloomFilter", "counting"),
        ("CuckooFilter", "cuckoo"),
        ("GrowingBloomFilter", "growing"),
    ] {
        let (percent, basis_point) = (row(structure, "0.01"), row(structure, "0.0001"));
        let line = format!(
            "\n| `{name}` | {:.1} ({:.2} %) | {:.1} ({:.4} %) | ",
            percent.bits,
            percent.rate * 100.0,
            basis_point.bits,
            basis_point.rate * 100.0
        );
        assert!(README.contains(&line), "{line}");
    }
    for (name, structure) in [
        ("HashSet<u64>", "hash-set-u64"),
        ("HashSet<String>", "hash-set-string"),
    ] {
        let bits = row(structure, "").bits;
        let line = format!("\n| `{name}` | {bits:.1} | {bits:.1} | ");
        assert!(README.contains(&line), "{line}");
    }
    // Ten million keys of so many bits, in millions of bytes.
    let megabytes = |row: Row| row.bits * 10.0 / 8.0;
    let sentence = format!(
        "`HashSet<String>` takes {:.0} MB, and the Bloom filter {:.0} MB at 0.01 %.",
        megabytes(row("hash-set-string", "")),
        megabytes(row("bloom", "0.0001"))
    );
    assert!(sentences().contains(&sentence), "{sentence}");
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
