//! Rate, memory and times of every policy of `filter-policy`, called key by key as in engines.
//!
//! Rates and sizes are counted and the same in every run; times are medians of rounds.

use records::number::grouped;

use crate::bars::{self, BarChart, BarPanel, Shown};
use crate::record::Row;
use crate::suite::{Baseline, Format, Label, Suite, Task, condition, label, property};
use crate::summary::Tables;

/// The names of the policies on the page `WHICH.md`.
#[rustfmt::skip]
const ON_PAGE: &[Label] = &[
    ("leveldb", "`BloomFilterPolicy`, LevelDB's hash"),
    ("bloom-filter2", "`BloomFilterPolicy`, MurmurHash2"),
    ("bloom-filter64", "`BloomFilter64Policy`"),
    ("fast-local", "`FastLocalBloomPolicy`"),
    ("legacy-full", "`LegacyFullFilterPolicy`"),
    ("ribbon", "`RibbonPolicy`"),
    ("ribbon14", "`RibbonPolicy`, 14 bits"),
];

/// The suite.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    format: Format::new("which-policy-bench", 3, "which"),
    contenders: &[
        ("leveldb", "LevelDB's"),
        ("bloom-filter2", "BloomFilter2"),
        ("bloom-filter64", "BloomFilter64"),
        ("fast-local", "FastLocalBloom"),
        ("legacy-full", "legacy full filter"),
        ("ribbon", "Ribbon"),
        ("ribbon14", "Ribbon, 14 bits"),
    ],
    tasks: &[
        Task::timed("build", "build"),
        Task::timed("absent", "query, absent keys"),
        Task::timed("present", "query, present keys"),
        Task::counted("size", "size of a filter", "bytes"),
        Task::counted("rate", "absent keys that match", "false positives"),
    ],
    parameters: &[condition("filter_keys"), property("bits_per_key")],
    baseline: Baseline::Contender(&["leveldb"]),
    summary: Tables {
        title: "policy",
        heading: |row| if row.unit == "ns" { "Nanoseconds a key: build / absent / present".to_owned() } else { String::new() },
        line: |row| label(ON_PAGE, &row.case.contender).to_owned(),
        column: |row| format!("{} keys", grouped(row.case.count("filter_keys"))),
        cell: |row| format!("{:.1}", row.value),
        is_markdown: true,
        ..Tables::PLAIN
    },
    charts: &[("which", |rows| Some(CHART.scene(rows)))],
};

/// A row for each policy, grouped by the keys of a filter, and a panel for each figure.
const CHART: BarChart = BarChart {
    description: "Rate, memory and times of every filter policy, by the keys of a filter",
    title: "Filter policies at 10 bits per key, unless the label gives another number",
    key: &[],
    names: 130.0,
    panels: &[
        panel("Rate", "absent keys that match, %", &["rate"], |row| {
            let percent = row.value * 100.0;
            Some((percent, None, format!("{percent:.2} %")))
        }),
        panel("Memory", "bits of filter for each key", &["size"], |row| {
            let bits = row.value * 8.0;
            Some((bits, None, format!("{bits:.1}")))
        }),
        panel("Build", "ns a key", &["build"], bars::value),
        panel(
            "Query, absent",
            "ns a key, one key a call",
            &["absent"],
            bars::value,
        ),
        panel(
            "Query, present",
            "ns a key, one key a call",
            &["present"],
            bars::value,
        ),
    ],
    one_scale: false,
    reference: None,
    group: |row| {
        let note = format!("keys of 16 bytes; times: medians of {} rounds", row.rounds);
        (format!("{} keys", grouped(row.case.count("filter_keys"))), note)
    },
    contender: |row| SUITE.contender(row).to_owned(),
    is_filled: |_| true,
};

const fn panel(
    title: &'static str,
    axis: &'static str,
    tasks: &'static [&'static str],
    shown: fn(&Row) -> Option<Shown>,
) -> BarPanel {
    BarPanel {
        title,
        axis,
        room: 66.0,
        tasks,
        shown,
    }
}
