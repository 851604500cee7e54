//! Memory per key of filters and sets against their false-positive rate. No time is measured.

use plots::scale::Scale;
use plots::scene::{MUTED, Scene};
use plots::xy::{Axis, Marks, Plot, Point, Row as PlotRow, Series, Sheet};
use records::number;
use records::number::grouped;

use crate::lines::{self, Style, ends, lines};
use crate::record::Row;
use crate::suite::{Baseline, Format, Suite, Task, condition};
use crate::summary::Tables;

/// The suite.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    format: Format::new("memory-bench", 2, "memory"),
    contenders: &[
        ("bloom", "Bloom"),
        ("concurrent-bloom", "concurrent Bloom"),
        ("counting", "counting Bloom, 4 bits"),
        ("cuckoo", "cuckoo"),
        ("growing", "growing, from a tenth"),
        ("blocked", "blocked"),
        ("hash-set-u64", "HashSet<u64>"),
        ("hash-set-string", "HashSet<String>"),
    ],
    tasks: &[
        Task::counted("rate", "FP rate", "false positives"),
        // What the structure holds from the allocator in the end and at most, and what it reports.
        Task::counted("allocated", "bits/key", "bytes"),
        Task::counted("peak", "built with", "bytes"),
        Task::counted("reported", "reported", "bytes"),
    ],
    // The requested probability of false positives is 0 for sets.
    parameters: &[condition("asked_rate"), condition("keys")],
    baseline: Baseline::Contender(&["bloom", "hash-set-u64"]),
    summary: Tables {
        title: "asked for",
        heading: |row| format!("{} phone numbers", grouped(row.case.count("keys"))),
        line: |row| format!("{}, {} %", SUITE.contender(row), row.case.number("asked_rate") * 100.0),
        column: |row| SUITE.task(row).to_owned(),
        cell: |row| {
            if row.case.task == "rate" { format!("{:.5} %", row.value * 100.0) } else { format!("{:.2}", row.value * 8.0) }
        },
        ..Tables::PLAIN
    },
    charts: &[("memory", chart)],
};

/// Room around the outermost marks, as a factor.
const BESIDE: f64 = 1.25;

/// Returns true if the structure has no false positives.
fn is_exact(row: &Row) -> bool {
    row.case.contender.starts_with("hash-set")
}

/// Draws bits per key against the rate, the lowest rate at the right; `None` if no filter had a false positive, because
/// a logarithmic axis has no zero.
fn chart(rows: &[Row]) -> Option<Scene> {
    let bits = |row: &Row| {
        row.at("allocated", rows)
            .map_or(f64::NAN, |bytes| bytes.value * 8.0)
    };
    // The x value is the number of absent keys per false positive.
    let point = |row: &Row| {
        let x = 1.0 / row.value;
        let is_shown = row.case.task == "rate" && row.value > 0.0 && !is_exact(row);
        is_shown.then(|| Point {
            x,
            y: bits(row),
            interval: None,
        })
    };
    let points = |contender: &str| -> Vec<Point> {
        rows.iter()
            .filter(|row| row.case.contender == contender)
            .filter_map(point)
            .collect()
    };
    // Structures with equal points share a line.
    let style = |row: &Row| {
        let of = points(&row.case.contender);
        let equal = SUITE.contenders.iter().filter(|(name, _)| points(name) == of);
        let names: Vec<&str> = equal.map(|(_, text)| *text).collect();
        let is_first = names.first() == Some(&SUITE.contender(row));
        is_first.then(|| Style {
            name: names.join(", "),
            color: MUTED,
            marks: Marks::Filled,
        })
    };
    let (least, most) = ends(rows.iter().filter_map(point).map(|point| point.x))?;
    let (from, to) = ((least / BESIDE).max(1.0), most * BESIDE);
    let bound = [from, to].map(|one_in| (one_in, libm::log2(one_in)));
    let mut series = vec![Series {
        marks: Marks::None,
        ..Series::new("log2(1 / rate): the least there can be", MUTED, bound)
    }];
    let filters = lines(rows, style, point, |row| number::significant(bits(row), 3));
    series.extend(filters.into_iter().enumerate().map(|(number, line)| {
        let (color, marks) = lines::color(number, line.marks);
        Series { color, marks, ..line }
    }));
    let (_, highest) = ends(rows.iter().filter_map(point).map(|point| point.y))?;
    let plot = Plot {
        x: Axis {
            scale: Scale::log(from, to),
            tick: |one_in| number::percent_tick(1.0 / one_in),
        },
        y: Axis {
            scale: Scale::linear(highest * 1.06),
            tick: number::tick,
        },
        x_title: "absent keys that are said to be in, measured (log scale)",
        shade: vec![bound[0], bound[1], (to, 0.0), (from, 0.0)],
        series,
        ..Plot::default()
    };
    let sets = rows.iter().filter(|row| is_exact(row) && row.case.task == "rate");
    let sets = sets.map(|row| format!("{} {}", SUITE.contender(row), number::significant(bits(row), 3)));
    let sheet = Sheet {
        description: "Bits for each key of filters against their rate of false positives",
        title: &format!(
            "Memory against rate: {} phone numbers, measured",
            grouped(rows.first()?.case.count("keys"))
        ),
        note: &format!(
            "bits of memory for each key; sets, which are never wrong, take {}",
            sets.collect::<Vec<_>>().join(", ")
        ),
        names: 236.0,
        rows: vec![PlotRow {
            plots: vec![plot],
            ..PlotRow::default()
        }],
        ..Sheet::default()
    };
    Some(sheet.scene())
}
