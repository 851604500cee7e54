//! The program `samebits`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use samebits::commands::{build, inspect, manual, merge, parquet, program_name, query, size};
use terminal::failure::Failure;
use terminal::layout::with_words;

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

fn main() -> ExitCode {
    let program = || with_words(Cli::command(), &|text| text.replace("{program}", program_name()));
    let mut command = program();
    let parsed = Cli::from_arg_matches(&command.get_matches_mut());
    let cli = parsed.unwrap_or_else(|error| error.format(&mut command).exit());
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
    result.map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}
