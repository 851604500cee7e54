//! The workspace's command line: `cargo xtask --help`.
#![forbid(unsafe_code)]

mod binaries;
mod cargo;
mod commands;
mod cross;
mod fuzz;
mod programs;
mod public_items;
mod release;
mod sanitize;
mod suite;
mod workspace;

use std::process::ExitCode;

use clap::Parser as _;
use terminal::failure::Failure;

fn main() -> ExitCode {
    let result = commands::Cli::parse().run();
    result.map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}
