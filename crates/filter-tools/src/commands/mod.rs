//! The commands of `filters`, one per file: arguments and messages only.

pub mod ask;
pub mod build;
pub mod inspect;
pub mod merge;
pub mod size;

use std::io::{self, Write};

use records::failure::Failure;
use serde::Serialize;

/// Prints a value as JSON.
fn print_json(out: &mut impl Write, value: &(impl Serialize + ?Sized)) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(out.flush()?)
}
