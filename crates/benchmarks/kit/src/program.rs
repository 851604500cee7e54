//! The command line of the measuring programs: `PROGRAM SUITE --csv FILE [--quick]`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::record::Batch;
use crate::suite::Suite;
use crate::table;

/// Measures a suite, and writes a line for each batch. `cargo xtask bench` runs this, and makes records and charts.
#[derive(Debug, Parser)]
#[command(max_term_width = 100)]
pub struct Arguments {
    /// The suite to run
    suite: String,

    /// File of the batches
    #[arg(long, value_name = "FILE")]
    csv: PathBuf,

    /// Run fewer rounds on fewer keys, to check that the suite works; do not quote the figures
    #[arg(long)]
    pub quick: bool,
}

impl Arguments {
    /// Writes the batches of a suite.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write(&self, suite: &Suite, batches: &[Batch]) -> Result<(), String> {
        std::fs::write(&self.csv, table::to_bytes(suite, batches))
            .map_err(|error| format!("{}: {error}", self.csv.display()))
    }
}

/// A function that measures a suite and writes its batches.
pub type Measure = fn(&Arguments) -> Result<(), String>;

/// Runs the suite that the command line names.
pub fn run(suites: &[(&str, Measure)]) -> ExitCode {
    let arguments = Arguments::parse();
    if suites.is_empty() {
        eprintln!("error: this program was built without its engine; the build said what it needs");
        return ExitCode::FAILURE;
    }
    let Some((_, measure)) = suites.iter().find(|(name, _)| *name == arguments.suite) else {
        let names: Vec<&str> = suites.iter().map(|(name, _)| *name).collect();
        eprintln!(
            "error: the suite must be one of {}, got {:?}",
            names.join(", "),
            arguments.suite
        );
        return ExitCode::from(2);
    };
    match measure(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
