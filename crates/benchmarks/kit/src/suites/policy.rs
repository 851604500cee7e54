//! Building and querying filters: with the same bytes as an engine's own policy, of LevelDB and of Parquet in runs with
//! their own records; and filters of all kinds at the same false-positive rates.

use filter_formats::{BloomFilter64Policy, policies};
use records::number;
use records::number::grouped;

use super::rates::{policies_and, short};
use crate::record::Row;
use crate::suite::{Baseline, Label, Suite, Task, condition, label, property};
use crate::summary::Tables;

/// The engines, with which the others are compared.
const ENGINES: &[&str] = &["leveldb", "arrow-rs"];

/// The forms of calls.
#[rustfmt::skip]
const FORMS: &[Label] = &[
    // One call per key, which examines the filter anew.
    ("one-by-one", "one by one"),
    // One call per key on a filter that was prepared once.
    ("prepared", "prepared"),
    ("slices", "slices"),
    // One call for many keys packed in memory.
    ("packed", "packed"),
];

/// The lengths of keys.
#[rustfmt::skip]
pub const LENGTHS: &[Label] = &[
    ("16", "keys of 16 bytes"),
    ("4-40", "keys of 4 to 40 bytes"),
    ("17-50", "URLs of 17 to 50 bytes"),
];

/// Filters in LevelDB's or Parquet's format.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    rows: "policy",
    contenders: &[
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
        Task::timed("build", "build"),
        Task::timed("absent", "query, absent keys"),
        Task::timed("present", "query, present keys"),
    ],
    parameters: &[
        property("form"),
        property("version"),
        condition("key_lengths"),
        condition("filter_keys"),
        condition("bits_per_key"),
    ],
    baseline: Baseline::Contender(ENGINES),
    summary: Tables {
        title: "keys of a filter",
        heading: |row| {
            let (task, lengths) = (SUITE.task(row), label(LENGTHS, row.case.get("key_lengths")));
            format!("{task}, {lengths}, {} bits for each", row.case.get("bits_per_key"))
        },
        line: |row| format!("{}, {}", SUITE.contender(row), label(FORMS, row.case.get("form"))),
        column: |row| abbreviated(row.case.count("filter_keys")),
        cell: |row, _| {
            if is_engine(row) { format!("{:.1}", row.value) } else { format!("{:.3}", row.over_baseline()) }
        },
        after: |_| "\nThe first line: nanoseconds a key; others: time over the first. Their 95 % intervals are in policy.csv.\n".to_owned(),
        ..Tables::PLAIN
    },
};

fn is_engine(row: &Row) -> bool {
    ENGINES.contains(&&*row.case.contender)
}

/// Abbreviates a size, so that eight sizes fit in eighty columns.
fn abbreviated(size: u64) -> String {
    if size >= 1_000_000 && size.is_multiple_of(1_000_000) {
        format!("{} M", size / 1_000_000)
    } else {
        grouped(size)
    }
}

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
    contenders: &policies_and::<{ policies::ALL.len() + PEERS.len() }>(&PEERS),
    tasks: &[
        Task::counted("size", "size of a filter", "bytes"),
        Task::counted("rate", "absent keys that match", "false positives"),
        Task::timed("build", "build"),
        Task::timed("absent", "query, absent keys"),
        Task::timed("present", "query, present keys"),
        Task::timed("many", "query, absent keys, many a call"),
    ],
    parameters: &[property("version"), condition("key_lengths"), condition("filter_keys"), condition("rate")],
    baseline: Baseline::Contender(&[BloomFilter64Policy::NAME]),
    // The table of the page `crates/filter-formats/WHICH.md`.
    summary: Tables {
        heading: |row| {
            let is_size = row.case.task == "size" && is_shown(row) && row.case.get("rate") == "0.01";
            if is_size { format!("at most {} %", 100.0 * row.case.number("rate")) } else { String::new() }
        },
        line: |row| short(EQUAL_RATE.contender(row)).to_owned(),
        column: |row| format!("{} keys", grouped(row.case.count("filter_keys"))),
        cell,
        is_markdown: true,
        ..Tables::PLAIN
    },
};

/// Returns true for the keys of the tables: of different lengths and each in its own memory, as applications
/// have them, but for the largest filters.
fn is_shown(row: &Row) -> bool {
    row.case.get("key_lengths")
        == if row.case.count("filter_keys") > MOST_SCATTERED {
            "16"
        } else {
            "17-50"
        }
}

const MOST_SCATTERED: u64 = 1_000_000;

/// Returns the rows of the contenders' sizes that are shown.
fn sizes(rows: &[Row]) -> impl Iterator<Item = &Row> {
    rows.iter().filter(|row| row.case.task == "size" && is_shown(row))
}

/// Returns true if no other filter at the same rate and size is smaller and as fast for an absent key, or faster and as
/// small.
fn is_unbeaten(size: &Row, rows: &[Row]) -> bool {
    let figures = |size: &Row| Some((size.value, size.at("absent", rows)?.value));
    let Some((bytes, ns)) = figures(size) else {
        return false;
    };
    let same = |other: &&Row| {
        let equal = |column| other.case.get(column) == size.case.get(column);
        equal("filter_keys") && equal("rate")
    };
    let beats = |(others_bytes, others_ns): (f64, f64)| {
        others_bytes <= bytes && others_ns <= ns && (others_bytes < bytes || others_ns < ns)
    };
    !sizes(rows).filter(same).filter_map(figures).any(beats)
}

/// Formats the bits of a key and the times; a filter that no other beats in both is bold.
fn cell(size: &Row, rows: &[Row]) -> String {
    let time = |task| size.at(task, rows).map(|row| number::significant(row.value, 2));
    let times: Vec<String> = ["build", "absent", "present", "many"]
        .into_iter()
        .filter_map(time)
        .collect();
    let bits = number::fixed(size.value * 8.0, 1);
    let bits = if is_unbeaten(size, rows) {
        format!("**{bits}**")
    } else {
        bits
    };
    format!("{bits}: {}", times.join(" / "))
}
