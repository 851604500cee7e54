//! Public for this package's program and tests alone. Benchmarks of filters against other software: rounds in which
//! contenders take turns become medians and ratios, records and a summary.
//!
//! All suites have the same records: [`record::Batch`] and [`record::Row`]. A file in [`suites`] describes a suite and
//! has what measures it; [`peers`] are the programs and crates that it is measured against, [`ours`] the filters of this project,
//! and [`parts`] states who takes part in which suite. All statistics are computed in one place, the method
//! [`Suite::rows`](suite::Suite::rows).
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
