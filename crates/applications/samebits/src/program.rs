//! The whole program: its arguments, its commands and its exit code.

use std::ffi::OsString;
use std::io::{self, Write as _};

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use terminal::failure::Failure;
use terminal::layout::with_words;

use crate::commands::{build, inspect, manual, merge, parquet, program_name, query, size};

/// Builds and queries filters of any format, inspects those in tables of storage engines, and calculates how large
/// filters must be.
#[derive(Debug, Parser)]
#[command(
    name = "samebits",
    max_term_width = 100,
    version,
    after_help = "Exit codes: 0 done; 1 a check or the program failed; 2 the input or the arguments are wrong; 130 stopped."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::Arguments),
    Query(query::Arguments),
    Merge(merge::Arguments),
    Inspect(inspect::Arguments),
    Parquet(parquet::Arguments),
    Size(size::Arguments),
    Completions(manual::Completions),
    Manual(manual::Manual),
}

/// Runs the program with these arguments, of which the first is its name. Returns its exit code.
///
/// It reads standard input, prints, and handles Ctrl-C, as a program of its own does.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let program = || with_words(Cli::command(), &|text| text.replace("{program}", program_name()));
    let mut command = program();
    let parsed = command.try_get_matches_from_mut(arguments);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            let error = error.format(&mut command);
            // If the output is closed, there is nowhere to report it.
            let _ = error.print();
            return if error.use_stderr() { 2 } else { 0 };
        }
    };
    let result = match cli.command {
        Command::Build(arguments) => build::run(&arguments),
        Command::Query(arguments) => query::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Parquet(arguments) => parquet::run(&arguments),
        Command::Size(arguments) => size::run(&arguments),
        Command::Completions(arguments) => manual::complete(&arguments, &mut program()),
        Command::Manual(arguments) => manual::write(&arguments, program()),
    };
    // Only a program of its own would write the rest at its end.
    let result = result.and_then(|()| Ok(io::stdout().flush()?));
    result.map_or_else(Failure::report, |()| 0)
}
