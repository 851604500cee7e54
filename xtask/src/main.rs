//! The workspace's command line: `cargo xtask --help`.
#![forbid(unsafe_code)]

mod cargo;
mod check;
mod commands;
mod cross;
mod fuzz;
mod guides;
mod needs;
mod python;
mod release;
mod sanitize;
mod steps;
mod test;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let Err(failure) = commands::Cli::parse().run() else {
        return ExitCode::SUCCESS;
    };
    eprintln!("error: {failure}");
    ExitCode::FAILURE
}
