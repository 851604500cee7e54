//! What all benchmarks have in common: batches that a program measured become medians and ratios, records, a summary and
//! a chart.
//!
//! Each suite is described in one module of [`suites`]: its records, which batches are compared, its summary, its chart.
//! The programs that measure are packages of their own, one a peer, since what they measure is heavy; they link this
//! library for the records, the clock and the turns. Statistics are formed here, the same way everywhere.

mod charts;
pub mod databases;
mod folder;

pub mod phones;
pub mod policies;
pub mod program;
mod rounds;
mod suite;
pub mod suites;
mod summary;
pub mod turns;
mod words;

pub use self::folder::{Bench, Chart, Folder, Format, MARKER};
pub use self::rounds::INTERVAL_LEVEL;
pub use self::suite::{AnySuite, Draw, Suite};

/// The version that the lock file has of a package; empty where it has none.
pub fn version(package: &str) -> String {
    let entry = format!("name = \"{package}\"\nversion = \"");
    include_str!("../workspace.lock")
        .split_once(&entry)
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or_else(String::new, |(version, _)| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found() {
        for (package, start) in [
            ("fastbloom", "0.17."),
            ("rusty-leveldb", "4."),
            ("sbbf-rs", "0.2."),
            ("bloomfilter", "3."),
            ("foldhash", "0.2."),
            ("filter-policy", "0."),
        ] {
            assert!(
                version(package).starts_with(start),
                "{package} {}",
                version(package)
            );
        }
        assert_eq!(version("no-such-package"), "");
    }
}
