//! The common part of all benchmarks: turns measured batches into medians and ratios, records and a summary.
//!
//! All suites have the same records: [`record::Batch`] and [`record::Row`]. A suite is a constant in [`suites`]: the
//! names in its records, its baseline and its summary. The programs that measure are packages of their own,
//! one for each peer, because peers are heavy dependencies; they use this library for the records, the clock and the
//! turns. All statistics are computed here.

pub mod databases;
pub mod folder;
pub mod policies;
pub mod program;
mod ratios;
pub mod record;
pub mod suite;
pub mod suites;
mod summary;
pub mod table;
pub mod turns;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

pub use self::folder::Bench;
pub use self::ratios::INTERVAL_LEVEL;
pub use self::suite::Suite;
pub use self::summary::Tables;

/// Returns the random numbers of a seed, in each of which a bit is 1 with probability one half.
pub fn random(seed: u64) -> impl Iterator<Item = u64> + Clone {
    let mut random = SplitMix64::seed_from_u64(seed);
    std::iter::repeat_with(move || random.next_u64())
}

/// Returns a package's version in the lock file; empty if the file lacks the package.
pub fn version(package: &str) -> String {
    let entry = format!("name = \"{package}\"\nversion = \"");
    include_str!("../workspace.lock")
        .split_once(&entry)
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or_else(String::new, |(version, _)| version.to_owned())
}
