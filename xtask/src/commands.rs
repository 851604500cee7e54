//! The commands, most of which other programs of the workspace have.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;

use clap::{Parser, Subcommand};

use crate::needs::{LEVELDB, Need, ROCKSDB};
use crate::{cargo, check, cross, needs, steps, test};

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
        cargo xtask inspect DB/*.sst            the filters in tables of LevelDB or RocksDB\n  \
        cargo xtask test --install              every test, on the real systems\n\n\
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
    Compare(Forwarded),
    /// Redraw charts and report from the records of a run
    Render(Forwarded),
    /// Compare runs of several machines or dates, and put them on one page
    Join(Forwarded),
    /// Make the committed run again, apart from its times, and compare every file
    Reproduce(Forwarded),
    /// List functions and datasets
    List(Forwarded),
    /// Show the filters in tables of LevelDB and RocksDB and in Parquet files, and report damage
    Inspect(Forwarded),
    /// Add filters to Parquet files, and check those that they have
    Parquet(Forwarded),
    /// Calculate the size of a filter
    Size(Forwarded),
    /// Benchmark filters against peers, on real engines
    Bench(Forwarded),
    Test(test::Arguments),
    Check(check::Arguments),
    Cross(cross::Arguments),
}

/// The arguments of another program, passed on unchanged.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
struct Forwarded {
    /// See `cargo xtask COMMAND --help`
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

/// Engines that benchmarks link if they are installed: the feature of `bench`, and what it needs.
const ENGINES: [(&str, &[Need]); 2] = [("leveldb", LEVELDB), ("rocksdb", ROCKSDB)];

impl Cli {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<(), String> {
        match self.command {
            Command::Compare(rest) => forward(&["hash-comparison"], "compare", &rest),
            Command::Render(rest) => forward(&["hash-comparison"], "render", &rest),
            Command::Join(rest) => forward(&["hash-comparison"], "join", &rest),
            Command::Reproduce(rest) => forward(&["hash-comparison"], "reproduce", &rest),
            Command::List(rest) => forward(&["hash-comparison"], "list", &rest),
            Command::Inspect(rest) => forward(&["samebits"], "inspect", &rest),
            Command::Parquet(rest) => forward(&["samebits"], "parquet", &rest),
            Command::Size(rest) => forward(&["samebits"], "size", &rest),
            Command::Bench(rest) => {
                let is_installed = |(_, needs): &&(&str, &[Need])| needs::missing(needs).is_empty();
                let installed = ENGINES.iter().filter(is_installed);
                let package = ["bench"].into_iter();
                let package: Vec<&str> = package
                    .chain(installed.flat_map(|(feature, _)| ["--features", feature]))
                    .collect();
                forward(&package, "bench", &rest)
            }
            Command::Test(arguments) => test::run(&arguments),
            Command::Check(arguments) => check::run(&arguments),
            Command::Cross(arguments) => cross::run(&arguments),
        }
    }
}

/// Builds the program of a package, with its features, and runs it with this command, in place of this process, so that
/// signals and exit codes are the program's. Cargo reports what it builds; the first build takes a minute.
///
/// The current folder does not change, so relative paths in the arguments stay valid.
fn forward(package: &[&str], command: &str, arguments: &Forwarded) -> Result<(), String> {
    let root = steps::root();
    let mut cargo = cargo::cargo_here();
    cargo
        .args(["run", "--release", "--locked", "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .arg("--package")
        .args(package)
        .args(["--", command])
        .args(&arguments.rest)
        .env(steps::WORKSPACE, &root);
    Err(cargo::failed("cargo", cargo.exec()))
}
