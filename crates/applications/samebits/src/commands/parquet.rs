//! `parquet`: adds filters to Parquet files, and checks those that they have.

mod add;
mod check;
mod problem;
mod workers;

use std::io;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::Once;

use clap::Subcommand;
use filter_parquet::add::is_decoding;
use terminal::failure::Failure;

pub use crate::inspection::Unread;
use crate::inspection::parquet::files_in;
pub use crate::inspection::parquet::{CheckedValues, FilterReport, UncheckedBy};
pub use add::{ColumnReport, FileReport, Request, add_to_file};
pub use check::check_file;
pub use problem::Problem;

/// Add filters to Parquet files that have none, and check filters against the values.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Add(add::Arguments),
    Check(check::Arguments),
}

/// Adds or checks filters.
///
/// # Errors
///
/// If the arguments are wrong, a file is refused or fails, or a filter denies a value.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    quieten_decoders();
    match &arguments.command {
        Command::Add(arguments) => add::run(arguments),
        Command::Check(arguments) => check::run(arguments),
    }
}

/// Makes panics of decoders print nothing: they become errors that name the page.
fn quieten_decoders() {
    static ONCE: Once = Once::new();

    ONCE.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |panicked| {
            if !is_decoding() {
                hook(panicked);
            }
        }));
    });
}

/// Returns the Parquet files in a folder and its folders, of which there must be one, or the path of a file.
fn files(given: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !given.is_dir() {
        return Ok(vec![given.to_owned()]);
    }
    let files = files_in(given).and_then(|files| match files.is_empty() {
        true => Err(io::Error::other("has no Parquet files")),
        false => Ok(files),
    });
    let files = files.map_err(|error| super::wrong(given, error))?;
    Ok(files.into_iter().map(|file| file.path).collect())
}
