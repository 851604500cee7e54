//! The workspace's command line: `cargo xtask --help`.
#![forbid(unsafe_code)]

mod binaries;
mod cargo;
mod commands;
mod cross;
mod fuzz;
mod programs;
mod release;
mod sanitize;
mod suite;
mod workspace;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    match commands::Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
