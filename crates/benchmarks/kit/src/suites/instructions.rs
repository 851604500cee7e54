//! Instruction counts of policies with the portable kernel, which a test compares with the committed record.
//!
//! Unlike times, counts have no noise: they depend only on the code, its compiler, and functions that the C library
//! selects by processor. Counts are therefore compared only between runs of the same compiler.

use crate::suite::{Baseline, Suite, Task, condition};
use crate::summary::Tables;

/// The suite.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    rows: "instructions",
    contenders: &[
        ("leveldb", "LevelDB's"),
        ("bloom-filter2", "BloomFilter2"),
        ("bloom-filter64", "BloomFilter64"),
        ("fast-local", "FastLocalBloom"),
        ("legacy-full", "legacy full filter"),
        ("ribbon", "Ribbon"),
    ],
    tasks: &[
        Task::counted("build", "build", "instructions"),
        Task::counted("absent", "absent", "instructions"),
        Task::counted("present", "present", "instructions"),
    ],
    parameters: &[condition("rustc"), condition("target"), condition("key_lengths")],
    baseline: Baseline::Contender(&["leveldb"]),
    summary: Tables {
        title: "(over LevelDB's)",
        heading: |row| format!("instructions a key, {} bytes, {}", row.case.get("key_lengths"), row.case.get("rustc")),
        line: |row| SUITE.contender(row).to_owned(),
        column: |row| SUITE.task(row).to_owned(),
        ..Tables::PLAIN
    },
    chart: None,
};
