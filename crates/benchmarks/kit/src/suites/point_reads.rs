//! The effect of filter policies on the point reads of storage engines.

use crate::suite::{Baseline, Label, Suite, Task, condition, label};
use crate::summary::Tables;

/// The contents of the engine's block cache.
#[rustfmt::skip]
const CACHES: &[Label] = &[
    // Each block is read from the file, which is in the page cache.
    ("nothing", "no block cached"),
    // The last block read, for engines that need at least one.
    ("one-block", "one block cached"),
    ("everything", "every block cached"),
];

/// The suite.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    rows: "point_reads",
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
        condition("cache"),
        condition("entries"),
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
};
