//! The commands, one file each.

mod bench;
mod calibrate;
mod fuzz;
mod inspect;
mod reproduce;
mod test;
mod tidy;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use hash_comparison::commands::{compare, list, render, size, written};
use hash_comparison::program::Program;

use crate::failure::Failure;
use crate::workspace;

/// Compares hash functions, inspects filters, and looks after the workspace.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    max_term_width = 100,
    disable_version_flag = true,
    after_help = "Examples:\n  \
        cargo xtask compare                     every function on every embedded dataset\n  \
        cargo xtask compare --keys my-keys.txt  on your own keys, one a line\n  \
        cargo xtask list                        what there is to compare\n  \
        cargo xtask inspect DB                  the filters of a database of LevelDB's\n  \
        cargo xtask test --install              the whole test suite\n\n\
        Exit codes: 0 done; 1 a check failed, or the program did; 2 the input or the arguments are wrong; \
        130 stopped by Ctrl-C."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Compare(compare::Arguments),
    Calibrate(calibrate::Arguments),
    Render(render::Arguments),
    Reproduce(reproduce::Arguments),
    List(list::Arguments),
    Inspect(inspect::Arguments),
    Size(size::Arguments),
    Tidy(tidy::Arguments),
    Test(test::Arguments),
    Fuzz(fuzz::Arguments),
    Bench(bench::Arguments),
}

/// The repository's own way in.
fn program() -> Program {
    Program {
        name: "cargo xtask",
        out: workspace::root().join("reports").join("latest"),
        out_words: "reports/latest in the workspace",
    }
}

impl Cli {
    /// What the command line says; ends the process where it says nothing that can be done.
    pub(crate) fn of_arguments() -> Self {
        let mut command = program().named(Self::command());
        let parsed = Self::from_arg_matches(&command.get_matches_mut());
        parsed.unwrap_or_else(|error| error.format(&mut command).exit())
    }

    /// Does what was asked.
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Calibrate(arguments) => calibrate::run(&arguments),
            Command::Compare(arguments) => compare::run(arguments, &program()),
            Command::Render(arguments) => render::run(&arguments),
            Command::Reproduce(arguments) => reproduce::run(&arguments),
            Command::List(arguments) => list::run(&arguments),
            Command::Inspect(arguments) => inspect::run(&arguments),
            Command::Size(arguments) => size::run(&arguments),
            Command::Tidy(arguments) => tidy::run(&arguments),
            Command::Test(arguments) => test::run(&arguments),
            Command::Fuzz(arguments) => fuzz::run(&arguments),
            Command::Bench(arguments) => bench::run(&arguments),
        }
    }
}
