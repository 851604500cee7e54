//! The commands of `filters`, one per file: arguments and messages only.

pub mod ask;
pub mod build;
pub mod inspect;
pub mod merge;
pub mod size;

use std::io::Write;

use records::failure::Failure;
use serde::Serialize;

/// Prints a value as JSON.
fn print_json(out: &mut impl Write, value: &(impl Serialize + ?Sized)) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::internal)?;
    Ok(writeln!(out, "{text}")?)
}
