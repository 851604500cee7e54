//! Inserts and lookups of Bloom filters for equal numbers of keys and equal rates, compared with Guava's.

use records::number::grouped;

use crate::bars::{self, BarChart, BarPanel};
use crate::suite::{Baseline, Format, Label, Suite, Task, condition, label, property};
use crate::summary::Tables;

/// The contents of a filter when it is queried.
#[rustfmt::skip]
const CONTENTS: &[Label] = &[
    // As many keys as the filter is sized for, inserted into the empty filter.
    ("keys", "full"),
    // Random words, the same in every filter, plus the inserted keys.
    ("random-words", "half of the bits set at random"),
];

/// The suite.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    format: Format::new("membership-bench", 3, "membership"),
    contenders: &[
        ("guava", "Guava"),
        ("ours", "membership-filters"),
        ("ours-batch", "membership-filters, many at once"),
        ("blocked", "blocked filter"),
        ("blocked-batch", "blocked filter, many at once"),
        ("fastbloom-default", "fastbloom"),
        // The hasher that fastbloom's documentation recommends for speed.
        ("fastbloom-foldhash", "fastbloom, foldhash"),
        ("bloomfilter", "bloomfilter"),
    ],
    tasks: &[
        Task::timed("put", "put"),
        Task::timed("absent", "absent keys"),
        Task::timed("present", "present keys"),
        Task::counted("false-positives", "rate", "false positives"),
    ],
    parameters: &[
        property("version"),
        // Hash, seed, options of the virtual machine.
        property("setup"),
        // Requested bits; the name of the size.
        condition("bits"),
        condition("insertions"),
        condition("contents"),
        // Guava's number, except for the blocked filter, which takes more for the same rate.
        property("bit_size"),
        property("probes"),
    ],
    baseline: Baseline::Contender(&["guava"]),
    summary: Tables {
        title: "nanoseconds a key (over Guava's)",
        heading: |row| format!("{} bits for {} keys", row.case.get("bits"), row.case.get("insertions")),
        line: |row| SUITE.contender(row).to_owned(),
        column: |row| SUITE.task(row).to_owned(),
        ..Tables::PLAIN
    },
    charts: &[("membership", |rows| Some(CHART.scene(rows)))],
};

/// A row for each filter and a panel for each operation.
const CHART: BarChart = BarChart {
    description: "Time of puts and look-ups of Bloom filters over that of Guava's, at several sizes",
    title: "Bloom filters for equal keys and rate: time over Guava's",
    key: &[],
    names: 190.0,
    panels: &[
        panel("Put", &["put"]),
        panel("Might contain, absent keys", &["absent"]),
        panel("Might contain, present keys", &["present"]),
    ],
    one_scale: true,
    reference: Some(1.0),
    group: |row| {
        let note = format!(
            "for {} keys, {} probes, {}; median of {} rounds",
            grouped(row.case.count("insertions")),
            row.case.get("probes"),
            label(CONTENTS, row.case.get("contents")),
            row.rounds
        );
        (format!("{} bits", grouped(row.case.count("bits"))), note)
    },
    contender: |row| SUITE.contender(row).to_owned(),
    is_filled: |row| {
        ["ours", "blocked"]
            .iter()
            .any(|name| row.case.contender.starts_with(name))
    },
};

const fn panel(title: &'static str, tasks: &'static [&'static str]) -> BarPanel {
    BarPanel {
        title,
        axis: "time over Guava's; line: 95 % interval",
        room: 118.0,
        tasks,
        shown: bars::ratio,
    }
}
