//! Building and querying filters, compared with an engine's own policy. The filters of LevelDB, RocksDB and Parquet are
//! separate runs with their own records.

use plots::scale::Scale;
use plots::scene::{Color, MUTED, PALETTE, Scene};
use plots::xy::{self, Axis, Marks, Plot, Sheet};
use records::number;
use records::number::grouped;

use crate::lines::{Style, distinct, ends, lines, ratio_at};
use crate::record::Row;
use crate::suite::{Baseline, Format, Label, Suite, Task, condition, label, property};
use crate::summary::Tables;

/// The engines, with which the others are compared.
const ENGINES: &[&str] = &["leveldb", "rocksdb", "arrow-rs"];

/// This project's contenders, which have several forms.
const OURS: &[&str] = &[
    "scalar",
    "avx2",
    "avx512",
    "neon",
    "ribbon",
    "bloom64",
    "fast-local",
];

/// The forms of calls.
#[rustfmt::skip]
const FORMS: &[Label] = &[
    // One call per key, which examines the filter anew.
    ("one-by-one", "one by one"),
    // One call per key on a filter that was prepared once.
    ("prepared", "prepared"),
    // One call per key with a precomputed hash value, on a filter that was prepared once.
    ("hashed", "hash given"),
    // RocksDB's number of keys per call.
    ("slices-32", "slices, 32 a call"),
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

/// Filters in LevelDB's format.
#[rustfmt::skip]
pub const LEVELDB: Suite = Suite {
    format: Format::new("policy-bench", 3, "policy"),
    contenders: &[
        // The engines, in C++ through virtual functions, and the crate `parquet`.
        ("leveldb", "LevelDB"),
        ("rocksdb", "RocksDB"),
        ("rocksdb-batch", "RocksDB, 32 a call"),
        ("rocksdb-ribbon", "RocksDB's Ribbon"),
        ("arrow-rs", "arrow-rs"),
        // The engine's filters, from each kernel of `filter-policy`.
        ("scalar", "scalar"),
        ("avx2", "AVX2"),
        ("avx512", "AVX-512"),
        ("neon", "NEON"),
        // Other policies of this project.
        ("ribbon", "Ribbon"),
        ("bloom64", "BloomFilter64"),
        ("fast-local", "FastLocalBloom"),
        // The engine's filters, from the C functions of `filter-policy-leveldb`.
        ("c-library", "C library"),
        ("rusty-leveldb", "rusty-leveldb"),
        // Filters with other bytes, with XXH3 and with the engine's hash of each key.
        ("sbbf-xxh3", "sbbf-rs"),
        ("sbbf-xxph3", "sbbf-rs, our hash"),
        ("fastbloom-hashes", "fastbloom, by hash"),
        ("fastbloom-default", "fastbloom"),
    ],
    tasks: &[
        Task::timed("build", "build"),
        Task::timed("absent", "query, absent keys"),
        Task::timed("present", "query, present keys"),
        Task::timed("both", "query, half of the keys present"),
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
            let (task, lengths) = (LEVELDB.task(row), label(LENGTHS, row.case.get("key_lengths")));
            format!("{task}, {lengths}, {} bits for each", row.case.get("bits_per_key"))
        },
        line: name,
        column: |row| short(row.case.count("filter_keys")),
        cell: |row, _| {
            if is_engine(row) { format!("{:.1}", row.value) } else { format!("{:.3}", row.over_baseline()) }
        },
        after: |_| "\nThe first line: nanoseconds a key; others: time over the first. Their 95 % intervals are in policy.csv.\n".to_owned(),
        ..Tables::PLAIN
    },
    charts: &[("policy", chart)],
};

/// Filters in RocksDB's formats.
pub const ROCKSDB: Suite = Suite {
    format: Format::new("rocksdb-policy-bench", 3, "policy"),
    ..LEVELDB
};

/// Filters in Parquet's format.
pub const PARQUET: Suite = Suite {
    format: Format::new("parquet-policy-bench", 3, "policy"),
    ..LEVELDB
};

fn is_engine(row: &Row) -> bool {
    ENGINES.contains(&&*row.case.contender)
}

/// Returns the contender's display text, with the form if the contender has several forms for a task.
fn name(row: &Row) -> String {
    let (text, form) = (LEVELDB.contender(row), row.case.get("form"));
    if OURS.contains(&&*row.case.contender) || form == "hashed" {
        format!("{text}, {}", label(FORMS, form))
    } else {
        text.to_owned()
    }
}

/// Abbreviates a size, so that eight sizes fit in eighty columns.
fn short(size: u64) -> String {
    if size >= 1_000_000 && size.is_multiple_of(1_000_000) {
        format!("{} M", size / 1_000_000)
    } else {
        grouped(size)
    }
}

/// A row of panels: title, task, and two forms. The first form, which is easier for the caller, has hollow marks.
type Kind = (&'static str, &'static str, [&'static str; 2]);

#[rustfmt::skip]
const KINDS: [Kind; 5] = [
    ("Build", "build", ["slices", "packed"]),
    ("One key a call, absent", "absent", ["one-by-one", "prepared"]),
    ("One key a call, present", "present", ["one-by-one", "prepared"]),
    ("Many keys a call, absent", "absent", ["slices", "packed"]),
    ("Many keys a call, present", "present", ["slices", "packed"]),
];

/// The engine itself is the line at 1.
fn is_of(row: &Row, (_, task, forms): &Kind) -> bool {
    row.case.task == *task && forms.contains(&row.case.get("form")) && !is_engine(row)
}

/// Room around the outermost marks, as a factor.
const BESIDE: f64 = 1.2;

/// Draws the time relative to the engine's by the number of keys: a row of panels for each task, a column for each key
/// length.
fn chart(rows: &[Row]) -> Option<Scene> {
    let engine = rows.iter().find(|row| is_engine(row))?;
    let kinds = KINDS
        .iter()
        .filter(|kind| rows.iter().any(|row| is_of(row, kind)));
    let kinds: Vec<&Kind> = kinds.collect();
    let shown = || {
        rows.iter()
            .filter(|row| kinds.iter().any(|kind| is_of(row, kind)))
    };
    let axis = |(low, high): (f64, f64)| Axis::new(Scale::log(low / BESIDE, high * BESIDE), number::tick);
    let x = axis(ends(shown().map(|row| row.case.number("filter_keys")))?);
    let ratios = shown()
        .filter_map(|row| row.ratio)
        .flat_map(|ratio| [ratio.low, ratio.high]);
    let y = axis(ends(ratios.chain([1.0]))?);
    let columns = distinct(shown().map(|row| row.case.get("key_lengths")));
    let heads = columns.iter().map(|lengths| {
        let of = rows.iter().filter(|row| row.case.get("key_lengths") == *lengths);
        let rounds = of.map(|row| row.rounds).max().unwrap_or(0);
        let note = format!("median of {rounds} rounds; upright: 95 % interval; log scale");
        (label(LENGTHS, lengths).to_owned(), note)
    });
    let plot = |kind: &Kind, lengths: &str| Plot {
        title: kind.0.to_owned(),
        x,
        y,
        x_title: if kinds.last() == Some(&kind) {
            "keys of a filter (log scale)"
        } else {
            ""
        },
        reference: Some((1.0, LEVELDB.contender(engine).to_owned())),
        series: lines(
            rows.iter()
                .filter(|row| is_of(row, kind) && row.case.get("key_lengths") == lengths),
            |row| {
                let is_hollow = row.case.get("form") == kind.2[0];
                Some(Style {
                    name: name(row),
                    color: color(&row.case.contender),
                    marks: if is_hollow { Marks::Hollow } else { Marks::Filled },
                })
            },
            |row| ratio_at(row.case.number("filter_keys"), row),
            |row| number::significant(row.over_baseline(), 3),
        ),
        ..Plot::default()
    };
    let sheet = Sheet {
        description: "Time of filter policies over that of an engine's own, by the keys of a filter",
        title: &format!(
            "Filters of {} bits for each key: time over that of {}'s own policy",
            engine.case.get("bits_per_key"),
            LEVELDB.contender(engine)
        ),
        width: 1080.0,
        height: 172.0,
        names: 220.0,
        heads: heads.collect(),
        rows: (kinds.iter())
            .map(|kind| xy::Row {
                plots: columns.iter().map(|lengths| plot(kind, lengths)).collect(),
                ..xy::Row::default()
            })
            .collect(),
        ..Sheet::default()
    };
    Some(sheet.scene())
}

/// Returns a contender's colour. Colours repeat; the names tell the lines apart.
fn color(contender: &str) -> Color {
    let [blue, vermilion, green, purple, orange] = PALETTE;
    match contender {
        "scalar" | "ribbon" => orange,
        "avx2" | "bloom64" => blue,
        "avx512" | "neon" => green,
        "rusty-leveldb" | "rocksdb-ribbon" | "fast-local" => vermilion,
        "rocksdb-batch" | "c-library" => Color(0x33, 0x33, 0x33),
        "sbbf-xxh3" => Color(0x88, 0x22, 0x55),
        "sbbf-xxph3" => Color(0x99, 0x99, 0x33),
        "fastbloom-hashes" => purple,
        "fastbloom-default" => Color(0x56, 0xb4, 0xe9),
        _ => MUTED,
    }
}
