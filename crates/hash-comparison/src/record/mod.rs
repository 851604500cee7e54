//! What a run leaves on disk: one CSV file a measurement, and `run.json` for everything else.
//!
//! The records are the only thing that charts and report may read. Nothing here measures or draws.
//! Floating-point fields are written with nine significant digits ([`significant`]), so what is read back
//! is what every reader of the file sees.

mod about;
mod baseline;
mod bits;
pub mod files;
pub mod folder;
mod function;
mod recommendation;
mod rows;
mod run;
mod stored;
mod structure;
pub mod table;

pub use statistics::significant;

pub use self::about::{About, about, of, on};
pub use self::baseline::{Baseline, Difference, Drift, TimeChange, TimesAgainst};
pub use self::bits::{AvalancheRow, BitFact, BitTest, MixingRow, MixingTest, WindowEnd, WindowRow};
pub use self::function::{FunctionGroup, FunctionSummary, Resistance};
pub use self::recommendation::{
    Advice, AtSize, Basis, CostRow, Incumbent, Interval, Purpose, Recommendation, Request, Standing,
};
pub use self::rows::*;
pub use self::run::{DatasetKind, DatasetSummary, Environment, FailedTest, Finding, KeyShape, Run};
pub(crate) use self::stored::stored;
pub use self::structure::{Choice, Mechanism, MechanismRow, OccupancyRow, StructuredRow, Window};

/// `format` of every `run.json` that this program writes.
pub const FORMAT: &str = "hash-comparison-run";
/// `schema` of the `run.json` that this version writes, and reads.
pub const SCHEMA: u32 = 1;

#[cfg(test)]
mod tests;
