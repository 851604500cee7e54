//! The commands.

mod forward;

use crate::{Failure, cross, fuzz, public_items, release, sanitize, suite};
use clap::{Parser, Subcommand};

/// Compares hash functions, inspects filters, and maintains the workspace.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    max_term_width = 100,
    disable_version_flag = true,
    after_help = "Examples:\n  \
        cargo xtask compare                     the usual functions on every embedded dataset\n  \
        cargo xtask compare --keys my-keys.txt  on your own keys, one per line\n  \
        cargo xtask list                        functions and datasets\n  \
        cargo xtask inspect DB                  the filters of a LevelDB or RocksDB database\n  \
        cargo xtask test --install              the whole test suite\n\n\
        Exit codes: 0 done; 1 a check or the program failed; 2 the input or the arguments are wrong; \
        130 stopped by Ctrl-C."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure hash functions on embedded keys or your own, and write the report
    Compare(forward::Arguments),
    /// Redraw charts and report from the records of a run
    Render(forward::Arguments),
    /// Compare runs of several machines or dates, and put them on one page
    Join(forward::Arguments),
    /// Make the committed run again, apart from its times, and compare every file
    Reproduce(forward::Arguments),
    /// List functions and datasets
    List(forward::Arguments),
    /// Show the filters in tables of LevelDB and RocksDB and in Parquet files, and report damage
    Inspect(forward::Arguments),
    /// Calculate the size of a filter
    Size(forward::Arguments),
    /// Benchmark filters against peers, on real engines
    Bench(forward::Arguments),
    Test(suite::Arguments),
    Fuzz(fuzz::Arguments),
    Sanitize(sanitize::Arguments),
    Cross(cross::Arguments),
    Document(public_items::Arguments),
    Release(release::Arguments),
}

impl Cli {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Compare(rest) => forward::run("hash-comparison", "compare", &rest),
            Command::Render(rest) => forward::run("hash-comparison", "render", &rest),
            Command::Join(rest) => forward::run("hash-comparison", "join", &rest),
            Command::Reproduce(rest) => forward::run("hash-comparison", "reproduce", &rest),
            Command::List(rest) => forward::run("hash-comparison", "list", &rest),
            Command::Inspect(rest) => forward::run("filter-tools", "inspect", &rest),
            Command::Size(rest) => forward::run("filter-tools", "size", &rest),
            Command::Bench(rest) => forward::run("bench", "bench", &rest),
            Command::Test(arguments) => suite::run(&arguments),
            Command::Fuzz(arguments) => fuzz::run(&arguments),
            Command::Sanitize(arguments) => sanitize::run(&arguments),
            Command::Cross(arguments) => cross::run(&arguments),
            Command::Document(arguments) => public_items::run(&arguments),
            Command::Release(arguments) => release::run(&arguments),
        }
    }
}
