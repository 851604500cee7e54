//! What all benchmarks have in common: batches that a program measured become medians and ratios, records and a chart.
//!
//! The programs are workspaces of their own, since what they measure is heavy, and measure only. All statistics are
//! formed here, so that they are the same everywhere.

mod folder;
mod rounds;
mod table;
#[cfg(test)]
pub(crate) mod testing;

pub use self::folder::{Bench, Folder, Format, MARKER};
pub(crate) use self::folder::{write, write_rows};
pub use self::rounds::INTERVAL_LEVEL;
pub(crate) use self::rounds::{Series, Timed, series};
pub(crate) use self::table::{Record, read};
