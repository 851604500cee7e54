//! The files of a run: one CSV file per measurement, and `run.json` for everything else.
//!
//! Charts and report may read only these records. This module neither measures nor draws. Floating-point fields are
//! written with nine significant digits ([`significant`]), so the values read back are those that every reader of the
//! file sees.

mod about;
mod columns;
mod function;
mod recommendation;
mod run;
mod stored;

pub use records::environment::Environment;
pub use statistics::significant;

pub use self::about::{About, about, of, on};
pub use self::columns::{BitFact, BitTest, CallForm, Choice, EMPTY, End, IDEAL, Place, Verdict};
pub use self::function::{FunctionGroup, FunctionSummary, Resistance};
pub use self::recommendation::{Advice, CostRow, Effect, Lack, PlaceKind, Purpose, Request, Standing, Unit};
pub use self::run::{DatasetKind, DatasetSummary, FailedTest, Finding, Run};
pub(crate) use self::stored::rows;
pub use self::stored::stored;

/// The `format` of every `run.json` that this program writes.
pub const FORMAT: &str = "hash-comparison-run";
/// The `schema` of the `run.json` that this version writes and reads.
pub const SCHEMA: u32 = 2;
