//! Building and querying filters: with the same bytes as an engine's own policy, of LevelDB and of Parquet in runs with
//! their own records; and filters of all kinds at the same false-positive rates.

use filter_policy::BloomFilter64Policy;
use terminal::number;
use terminal::number::grouped;

use super::rates::{policies_and, short};
use crate::record::Row;
use crate::suite::{Baseline, Label, Suite};
use crate::summary::Tables;

/// The engines, with which the others are compared.
const ENGINES: &[&str] = &["leveldb", "arrow-rs"];

/// Filters in LevelDB's or Parquet's format.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    rows: "policy",
    contenders: || vec![
        // LevelDB in C++ through virtual functions, and the crate `parquet`.
        ("leveldb", "LevelDB"),
        ("arrow-rs", "arrow-rs"),
        // The C functions of `filter-policy-leveldb`.
        ("c-library", "C library"),
        // The kernels of `filter-policy`.
        ("scalar", "scalar"),
        ("avx2", "AVX2"),
        ("avx512", "AVX-512"),
        ("neon", "NEON"),
    ],
    tasks: &[
        ("build", "build", "ns"),
        ("absent", "query, absent keys", "ns"),
        ("present", "query, present keys", "ns"),
    ],
    // `form`: `one-by-one`, one call per key, which examines the filter anew; `prepared`, one call per key on a filter that
    // was prepared once; `slices`, one call for many keys; `packed`, one call for many keys packed in memory.
    parameters: &["form", "version", "key_lengths", "filter_keys", "bits_per_key"],
    properties: &["form", "version"],
    baseline: Baseline::Contender(ENGINES),
    summary: Tables {
        title: "keys of a filter",
        heading: |row| {
            let (task, lengths) = (SUITE.task(row), row.case.get("key_lengths"));
            format!("{task}, keys of {lengths} bytes, {} bits for each", row.case.get("bits_per_key"))
        },
        line: |suite, row| format!("{}, {}", suite.contender(row), row.case.get("form")),
        column: |_, row| grouped(row.case.count("filter_keys")),
        cell: |row, _| {
            if ENGINES.contains(&&*row.case.contender) { format!("{:.1}", row.value) } else { format!("{:.3}", row.over_baseline()) }
        },
        after: |_| "\nThe first line: nanoseconds a key; others: time over the first. Their 95 % intervals are in policy.csv.\n".to_owned(),
        ..Tables::PLAIN
    },
};

/// The contenders of other projects at equal rates.
const PEERS: [Label; 5] = [
    ("rocksdb", "RocksDB's Bloom"),
    ("rocksdb-ribbon", "RocksDB's Ribbon"),
    ("sbbf-rs", "sbbf-rs, XXH3"),
    ("fastbloom", "fastbloom, XXH3"),
    ("xorf", "xorf, XXH3"),
];

/// Every policy, and filters of other projects, at the same false-positive rates: bits and times.
#[rustfmt::skip]
pub const EQUAL_RATE: Suite = Suite {
    rows: "policy",
    contenders: || policies_and(&PEERS),
    tasks: &[
        ("size", "size of a filter", "bytes"),
        ("rate", "absent keys that match", "false positives"),
        ("build", "build", "ns"),
        ("absent", "query, absent keys", "ns"),
        ("present", "query, present keys", "ns"),
        ("many", "query, absent keys, many a call", "ns"),
    ],
    parameters: &["version", "key_lengths", "filter_keys", "rate"],
    properties: &["version"],
    baseline: Baseline::Contender(&[BloomFilter64Policy::NAME]),
    // The table of the page `crates/filters/filter-policy/WHICH.md`.
    summary: Tables {
        heading: |row| {
            // Keys of different lengths and each in its own memory, as applications have them, but for the largest filters.
            let is_large = row.case.count("filter_keys") > 1_000_000;
            let is_shown = is_large == (row.case.get("key_lengths") == "16");
            if is_shown && row.case.task == "size" && row.case.get("rate") == "0.01" { format!("at most {} %", 100.0 * row.case.number("rate")) } else { String::new() }
        },
        line: |suite, row| short(suite.contender(row)).to_owned(),
        column: |_, row| format!("{} keys", grouped(row.case.count("filter_keys"))),
        cell,
        is_markdown: true,
        ..Tables::PLAIN
    },
};

/// Formats the bits of a key and the times.
fn cell(size: &Row, rows: &[Row]) -> String {
    let time = |task| size.at(task, rows).map(|row| number::significant(row.value, 2));
    let times = ["build", "absent", "present", "many"].map(time);
    let times: Vec<String> = times.into_iter().flatten().collect();
    format!("{}: {}", number::fixed(size.value * 8.0, 1), times.join(" / "))
}
