//! The workspace's command line: `cargo xtask --help`.
#![forbid(unsafe_code)]

mod commands;
mod inspection;
mod instructions;
mod suite;
mod tidy;
mod workspace;

use std::process::ExitCode;

use hash_comparison::{failure, interrupt, table, terminal};

fn main() -> ExitCode {
    match commands::Cli::of_arguments().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
