//! The workspace's command line: `cargo xtask --help`.
#![forbid(unsafe_code)]

mod cargo;
mod check;
mod commands;
mod cross;
mod guides;
mod needs;
mod published;
mod python;
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
