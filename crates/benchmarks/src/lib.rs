//! Public for this package's program and tests alone. Benchmarks of filters against other software: rounds in which
//! contenders take turns become medians and ratios, records and a summary.
//!
//! All suites have the same records: [`record::Batch`] and [`record::Row`]. All statistics are computed in one place, the
//! method [`Suite::rows`](suite::Suite::rows).
//!
//! Every suite writes its rows, such as `policy.csv`: `contender`, `task`, the suite's own columns, `rounds`, `calls`,
//! `unit`, `value`, `mad`, `ratio`, `ratio_low`, `ratio_high`. `value` is the time of a call, the median over the rounds
//! with its absolute deviation; a count of bytes, blocks or false positives is divided by all calls. `ratio` is the
//! median of the ratios to the baseline in the same round, with its 95 % interval. The single measurements are in
//! `batches.csv`, which is not committed (nor its line in `run.json`): `round`, `calls` and `count`, the nanoseconds of
//! all calls together or what the task counts. Charts, of the suite `ranges`, are drawn from the rows alone.
//!
//! - **A suite** is a constant of type [`Suite`](suite::Suite) in `suites/NAME.rs`, a name in [`parts`], and a line in
//!   `tests/reference.rs`. The same file measures it, except for `redis`: it names each case with
//!   `SUITE.case(contender, task, &[...])` and counts its rounds with `.batch(round, calls, count)`; [`turns`] has the
//!   clock and the order of the contenders.
//! - **A peer** is a file in [`peers`] with what the suite needs (`point_reads::Database`, `policy::Maker`,
//!   `membership::Work`), and a name among the suite's contenders. The filters of this project are in [`ours`], and
//!   [`parts`] states which suite measures which.
#![forbid(unsafe_code)]

pub mod command;
pub mod folder;
pub mod keys;
pub mod ours;
pub mod parts;
pub mod peers;
mod ratios;
pub mod record;
pub mod suite;
pub mod suites;
pub mod turns;

/// Returns a package's version in the lock file; empty if the file lacks the package.
pub fn version(package: &str) -> String {
    let entry = format!("name = \"{package}\"\nversion = \"");
    include_str!("../../../Cargo.lock")
        .split_once(&entry)
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or_else(String::new, |(version, _)| version.to_owned())
}
