//! Instruction counts of policies with the portable kernel, which a test compares with the committed record.
//!
//! Unlike times, counts have no noise: they depend only on the code, its compiler, and functions that the C library
//! selects by processor. Counts are therefore compared only between runs of the same compiler.

use filter_policy::leveldb::LevelDbHash;

use super::rates::{policies_and, short};
use crate::suite::Parameter::Condition;
use crate::suite::{Baseline, Suite, Task};
use crate::summary::Tables;

/// The suite.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    rows: "instructions",
    contenders: || policies_and(&[]),
    tasks: &[
        Task::counted("build", "build", "instructions"),
        Task::counted("absent", "absent", "instructions"),
        Task::counted("present", "present", "instructions"),
    ],
    parameters: &[Condition("rustc"), Condition("target"), Condition("key_lengths")],
    baseline: Baseline::Contender(&[LevelDbHash::POLICY_NAME]),
    summary: Tables {
        title: "(over LevelDB's)",
        heading: |row| format!("instructions a key, {} bytes, {}", row.case.get("key_lengths"), row.case.get("rustc")),
        line: |row| short(SUITE.contender(row)).to_owned(),
        column: |row| SUITE.task(row).to_owned(),
        ..Tables::PLAIN
    },
};
