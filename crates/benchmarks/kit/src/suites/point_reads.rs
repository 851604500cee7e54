//! The effect of filter policies on the point reads of storage engines.

use plots::key::Sign;
use records::number;
use records::number::grouped;

use crate::bars::{self, BarChart, BarPanel, Shown};
use crate::record::Row;
use crate::suite::{Baseline, Format, Label, Suite, Task, condition, label, property};
use crate::summary::Tables;

/// The contents of the engine's block cache.
#[rustfmt::skip]
pub const CACHES: &[Label] = &[
    // Each block is read from the file, which is in the page cache.
    ("nothing", "no block cached"),
    // The last block read, for engines that need at least one.
    ("one-block", "one block cached"),
    ("everything", "every block cached"),
];

/// The suite.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    format: Format::new("point-reads-bench", 3, "point_reads"),
    contenders: &[
        ("none", "no filter"),
        // Filters as large as others, to which everything may match. They stand for "no filters" in an engine whose
        // tables would have another shape without filters.
        ("always-yes", "filters that say yes"),
        ("engine", "the engine's own"),
        ("ours-leveldb-hash", "ours, LevelDB's hash"),
        ("ours-bloomfilter2", "ours, BloomFilter2"),
        ("ours-fast-local", "ours, FastLocalBloom"),
        ("ours-split-blocks", "ours, split blocks"),
        // Denies every key without reading a filter: the lower bound for absent keys.
        ("always-no", "free and perfect"),
    ],
    tasks: &[
        Task::timed("absent", "absent keys, ns/Get"),
        Task::timed("present", "present keys, ns/Get"),
        Task::counted("absent-blocks", "blocks/Get", "blocks"),
        Task::counted("present-blocks", "blocks/Get", "blocks"),
    ],
    parameters: &[
        condition("engine"),
        condition("version"),
        property("bits_per_key"),
        condition("cache"),
        // Random numbers in hexadecimal digits.
        condition("key_set"),
        condition("entries"),
        condition("key_bytes"),
        condition("value_bytes"),
    ],
    baseline: Baseline::Contender(&["none", "always-yes"]),
    summary: Tables {
        title: "(over no filter)",
        heading: |row| {
            let (engine, version) = (row.case.get("engine"), row.case.get("version"));
            format!("{engine} {version}, {}", label(CACHES, row.case.get("cache")))
        },
        line: |row| SUITE.contender(row).to_owned(),
        column: |row| SUITE.task(row).to_owned(),
        ..Tables::PLAIN
    },
    charts: &[("point-reads", |rows| Some(CHART.scene(rows)))],
};

const AXIS: &str = "time over that without filters; line: 95 % interval";
const TIMES: &[&str] = &["absent", "present"];

/// A row for each policy, and panels for blocks and for time with and without cached blocks.
const CHART: BarChart = BarChart {
    description: "Blocks read and time per Get of storage engines, without filters and with each policy",
    title: "Point reads: what a filter is worth",
    key: &[(Sign::Bar, "absent keys"), (Sign::HollowBar, "present keys")],
    names: 168.0,
    panels: &[
        panel(
            "Blocks read per Get",
            "blocks; none or one cached",
            64.0,
            &["absent-blocks", "present-blocks"],
            |row| {
                let text = number::significant(row.value, 3);
                (!is_cached(row)).then_some((row.value, None, text))
            },
        ),
        panel("Time per Get, blocks not cached", AXIS, 118.0, TIMES, |row| {
            bars::ratio(row).filter(|_| !is_cached(row))
        }),
        panel("Time per Get, every block cached", AXIS, 118.0, TIMES, |row| {
            bars::ratio(row).filter(|_| is_cached(row))
        }),
    ],
    one_scale: false,
    reference: None,
    group: |row| {
        let engine = match row.case.get("engine") {
            "leveldb" => "Google's LevelDB",
            other => other,
        };
        let note = format!(
            "{} entries, random keys of {} bytes, values of {}; median of {} rounds",
            grouped(row.case.count("entries")),
            row.case.get("key_bytes"),
            row.case.get("value_bytes"),
            row.rounds
        );
        (format!("{engine} {}", row.case.get("version")), note)
    },
    contender: |row| SUITE.contender(row).to_owned(),
    is_filled: |row| row.case.task.starts_with("absent"),
};

const fn panel(
    title: &'static str,
    axis: &'static str,
    room: f64,
    tasks: &'static [&'static str],
    shown: fn(&Row) -> Option<Shown>,
) -> BarPanel {
    BarPanel {
        title,
        axis,
        room,
        tasks,
        shown,
    }
}

fn is_cached(row: &Row) -> bool {
    row.case.get("cache") == "everything"
}
