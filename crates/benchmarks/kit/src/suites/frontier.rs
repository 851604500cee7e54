//! Bits and times of every filter at the same false-positive rates.

use plots::scale::Scale;
use plots::scene::Scene;
use plots::xy::{Axis, Marks, Plot, Point, Row as PlotRow, Sheet};
use records::number;
use records::number::grouped;

use crate::lines::{self, Style, distinct, lines};
use crate::record::Row;
use crate::suite::{Baseline, Format, Suite, Task, condition, property};
use crate::summary::Tables;

/// The suite.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    format: Format::new("frontier-bench", 1, "frontier"),
    contenders: &[
        ("leveldb", "BloomFilter2"),
        ("bloom-filter64", "BloomFilter64"),
        ("fast-local", "FastLocalBloom"),
        ("split-block", "split blocks, XXPH3"),
        ("ribbon", "Ribbon"),
        ("binary-fuse", "binary fuse"),
        ("rocksdb", "RocksDB's Bloom"),
        ("rocksdb-ribbon", "RocksDB's Ribbon"),
        ("sbbf-rs", "sbbf-rs, XXH3"),
        ("fastbloom", "fastbloom, XXH3"),
        ("xorf", "xorf, XXH3"),
    ],
    tasks: &[
        Task::counted("size", "size of a filter", "bytes"),
        Task::counted("rate", "absent keys that match", "false positives"),
        Task::timed("build", "build"),
        Task::timed("absent", "query, absent keys"),
        Task::timed("present", "query, present keys"),
        Task::timed("many", "query, absent keys, many a call"),
    ],
    parameters: &[property("version"), condition("key_lengths"), condition("filter_keys"), condition("rate")],
    baseline: Baseline::Contender(&["bloom-filter64"]),
    // The tables of the page `crates/filter-formats/WHICH.md`, one for each rate.
    summary: Tables {
        heading: |row| {
            let is_size = row.case.task == "size" && is_shown(row);
            if is_size { format!("at most {} %", 100.0 * row.case.number("rate")) } else { String::new() }
        },
        line: |row| SUITE.contender(row).to_owned(),
        column: |row| format!("{} keys", grouped(row.case.count("filter_keys"))),
        cell,
        is_markdown: true,
        ..Tables::PLAIN
    },
    charts: &[("frontier", chart)],
};

/// Returns true for the keys of the tables and the chart: of different lengths and each in its own memory, as applications
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

/// Draws the time of an absent key against the bits, with a line for each filter and a plot for each number of keys;
/// `None` without rows.
fn chart(rows: &[Row]) -> Option<Scene> {
    let absent: Vec<&Row> = rows
        .iter()
        .filter(|row| row.case.task == "absent" && is_shown(row))
        .collect();
    let mut keys = distinct(absent.iter().map(|row| row.case.count("filter_keys")));
    keys.sort_unstable();
    let plot = |keys: &u64| {
        let of_size: Vec<&Row> = absent
            .iter()
            .copied()
            .filter(|row| row.case.count("filter_keys") == *keys)
            .collect();
        let times = lines::ends(of_size.iter().map(|row| row.value));
        let (low, high) = times.unwrap_or((1.0, 10.0));
        let style = |row: &Row| {
            let number = SUITE
                .contenders
                .iter()
                .position(|(name, _)| *name == row.case.contender)?;
            let (color, marks) = lines::color(number, Marks::Filled);
            Some(Style {
                name: SUITE.contender(row).to_owned(),
                color,
                marks,
            })
        };
        let point = |row: &Row| {
            let x = row.at("size", rows)?.value * 8.0;
            (x <= MAX_BITS).then_some(Point::new(x, row.value))
        };
        Plot {
            title: format!("{} keys", grouped(*keys)),
            x: Axis::new(Scale::linear(MAX_BITS), number::tick),
            y: Axis::new(Scale::log(low * 0.8, high * 1.2), number::tick),
            x_title: "bits stored for a key",
            series: lines(of_size, style, point, |row| {
                format!("{} ns", number::significant(row.value, 2))
            }),
            ..Plot::default()
        }
    };
    let plots: Vec<Plot<'_>> = keys.iter().map(plot).collect();
    let title = "Bits and time of every filter at 3, 1, 0.4 and 0.1 % of false positives";
    let sheet = Sheet {
        description: title,
        title,
        note: "ns for an absent key of 17 to 50 bytes, 16 with 20,000,000 keys, log scale; further left and lower is better",
        width: 1080.0,
        height: 230.0,
        names: 200.0,
        rows: plots
            .into_iter()
            .map(|plot| PlotRow {
                title: "",
                plots: vec![plot],
            })
            .collect(),
        ..Sheet::default()
    };
    (!keys.is_empty()).then(|| sheet.scene())
}

/// The most bits for a key in the chart; xorf's filters of few keys have more.
const MAX_BITS: f64 = 24.0;
