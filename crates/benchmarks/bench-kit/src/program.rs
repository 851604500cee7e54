//! The command line of the measuring programs: `PROGRAM SUITE [--quick]`.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;
use terminal::failure::Failure;

use crate::record::Batch;
use crate::suite::Suite;
use crate::table;

/// Measures a suite, and writes a line for each batch. `cargo xtask bench` runs this, and makes records.
#[derive(Debug, Parser)]
#[command(max_term_width = 100)]
struct Arguments {
    /// The suite to run
    suite: String,

    /// Run fewer rounds on fewer keys, to check that the suite works; do not quote the figures
    #[arg(long)]
    quick: bool,
}

/// A function that measures a suite, with few rounds on few keys if it is given `true`.
pub type Measure = fn(bool) -> Result<Vec<Batch>, Failure>;

/// Runs the suite that the command line names, and writes its batches to standard output.
pub fn run(suites: &[(&str, &Suite, Measure)]) -> ExitCode {
    let Arguments { suite, quick } = Arguments::parse();
    let measure = || {
        let found = suites.iter().find(|(name, ..)| *name == suite);
        let names: Vec<&str> = suites.iter().map(|(name, ..)| *name).collect();
        let unknown = || format!("the suite must be one of {}, got {suite:?}", names.join(", "));
        let (_, suite, measure) = found.ok_or_else(unknown).map_err(Failure::Input)?;
        let batches = table::to_bytes(suite, &measure(quick)?);
        Ok(std::io::stdout().write_all(&batches)?)
    };
    measure().map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}
