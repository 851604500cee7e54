//! The commands of `filters`, one per file: arguments and messages only.

pub mod build;
pub mod inspect;
pub mod merge;
mod numbers;
pub mod query;
pub mod size;

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use filter_sets::{Format, Manifest};
use serde::Serialize;
use terminal::failure::{Failure, escaped};

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
        Some(given) if given != manifest.format => {
            let stated = &manifest.format;
            let reason = format!("its manifest says format {stated:?}, got {given:?}: leave the option out");
            Err(wrong(folder, reason))
        }
        _ => Ok(()),
    }
}

/// Returns the failure for a path that cannot be what it is.
fn wrong(path: &Path, reason: impl Display) -> Failure {
    Failure::input(format_args!("{}: {reason}", path.display()))
}

/// Fails after a check that has printed its own message.
fn checked(is_right: bool) -> Result<(), Failure> {
    is_right.then_some(()).ok_or(Failure::Checked)
}

/// Tells on standard error what is of note. If that is closed, nobody can be told.
fn note(of: impl Display, text: impl Display) {
    let _ = writeln!(io::stderr(), "{}", escaped(&format!("{of}: {text}")));
}
