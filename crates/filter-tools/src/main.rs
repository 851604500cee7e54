//! The program `filters`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use filter_tools::commands::{inspect, size};
use filter_tools::failure::Failure;

/// Looks at the filters in tables of storage engines, and says how large filters must be.
#[derive(Debug, Parser)]
#[command(
    name = "filters",
    max_term_width = 100,
    version,
    after_help = "Exit codes: 0 done; 1 a check failed, or the program did; 2 the input or the arguments are wrong."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Inspect(inspect::Arguments),
    Size(size::Arguments),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Size(arguments) => size::run(&arguments),
    };
    result.map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}
