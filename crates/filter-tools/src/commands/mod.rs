//! The commands of `filters`, one per file: arguments and messages only.

pub mod build;
pub mod inspect;
pub mod merge;
mod numbers;
pub mod query;
pub mod size;

use std::io::{self, Write};
use std::path::Path;

use filter_sets::{Format, Manifest};
use records::failure::Failure;
use serde::Serialize;

/// Prints a value as JSON.
fn print_json(out: &mut impl Write, value: &(impl Serialize + ?Sized)) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

/// Checks that a format, if one is given, is that of the set.
fn check_format(folder: &Path, given: Option<&Format>, manifest: &Manifest) -> Result<(), Failure> {
    match given.map(Format::name) {
        Some(given) if given != manifest.format => Err(Failure::input(format_args!(
            "{}: its manifest says format {:?}, got {given:?}: leave the option out",
            folder.display(),
            manifest.format
        ))),
        _ => Ok(()),
    }
}
