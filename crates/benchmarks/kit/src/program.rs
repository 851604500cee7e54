//! The command line of the measuring programs: `PROGRAM SUITE [--quick]`.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;
use records::failure::Failure;

use crate::record::Batch;
use crate::suite::Suite;
use crate::table;

/// Measures a suite, and writes a line for each batch. `cargo xtask bench` runs this, and makes records and charts.
#[derive(Debug, Parser)]
#[command(max_term_width = 100)]
pub struct Arguments {
    /// The suite to run
    suite: String,

    /// Run fewer rounds on fewer keys, to check that the suite works; do not quote the figures
    #[arg(long)]
    pub quick: bool,
}

impl Arguments {
    /// Writes the batches of a suite to standard output.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(&self, suite: &Suite, batches: &[Batch]) -> Result<(), String> {
        let written = std::io::stdout().write_all(&table::to_bytes(suite, batches));
        written.map_err(|error| format!("standard output: {error}"))
    }
}

/// A function that measures a suite and writes its batches.
pub type Measure = fn(&Arguments) -> Result<(), String>;

/// Runs the suite that the command line names.
pub fn run(suites: &[(&str, Measure)]) -> ExitCode {
    let arguments = Arguments::parse();
    let named = suites.iter().find(|(name, _)| *name == arguments.suite);
    let measured = match named {
        Some((_, measure)) => measure(&arguments).map_err(Failure::Internal),
        None if suites.is_empty() => Err(Failure::internal(
            "this program was built without its engine; the build said what it needs",
        )),
        None => {
            let names: Vec<&str> = suites.iter().map(|(name, _)| *name).collect();
            let (names, given) = (names.join(", "), arguments.suite);
            Err(Failure::input(format!(
                "the suite must be one of {names}, got {given:?}"
            )))
        }
    };
    measured.map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}
