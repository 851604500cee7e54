//! `cargo xtask bench`: benchmarks against peers.

mod instructions;
mod membership;
mod memory;
mod point_reads;
mod policy;
mod rates;
mod redis;
mod which;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use harness::benchmark::{Bench, Folder, Format};
use harness::environment;

use super::written;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::{suite, workspace};

/// Measure against peers, on real engines.
///
/// Builds and runs the benchmark programs, and writes records (CSV and JSON) and a
/// chart (SVG and PNG). Times are of this machine, which should have nothing else to do; ratios are formed within
/// rounds of one run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask bench\n  \
    cargo xtask bench --suite point-reads --quick --out my-bench\n  \
    cargo xtask bench --suite membership\n  \
    cargo xtask bench --suite memory\n  \
    cargo xtask bench --suite redis\n  \
    cargo xtask bench --suite policy\n  \
    cargo xtask bench --suite instructions\n  \
    cargo xtask bench --suite rates\n\n\
    point-reads and policy need LevelDB and a C++ compiler (Debian: libleveldb-dev, g++), point-reads also 700 MB for \
    temporary files, policy RocksDB 7.8 (librocksdb-dev) and 3 GB of memory; \
    membership needs Guava and a JDK (Debian: libguava-java, default-jdk-headless) and 3 GB of memory; \
    memory needs 1.2 GB of it; redis needs a server and redis-benchmark (Debian: redis-server, redis-tools); \
    instructions needs valgrind; rates needs 2 GB of memory.")]
pub(crate) struct Arguments {
    /// What to measure
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Name::PointReads)]
    suite: Name,

    /// Fewer rounds, fewer keys: to see that it works, not to be quoted
    #[arg(long)]
    quick: bool,

    /// Folder of the records: absent, empty, or of an earlier run [default: reports/bench/NAME in the workspace]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Name {
    /// Blocks read and time of a Get on LevelDB and rusty-leveldb, without filters and with each policy
    PointReads,
    /// Time of a put and of a look-up of Guava's Bloom filter, ours, and those of other crates, at four sizes
    Membership,
    /// Memory of filters and of sets for each key, and the rates that the filters reach; no times
    Memory,
    /// Keys a second that filters in Redis are asked for and get, beside redis-benchmark, by keys a round trip
    Redis,
    /// Time of building filters and of asking them, of LevelDB's and RocksDB's own policies, ours, and those of other
    /// crates, by the number of keys
    Policy,
    /// Instructions that each policy takes by its portable kernel, against the committed record; no times
    Instructions,
    /// False positives of every policy against an ideal filter's, by keys and by bits per key; no times
    Rates,
}

impl Name {
    /// The folders below the records' own, and what is measured for each; the first is that folder itself.
    const fn suites(self) -> &'static [(&'static str, Suite)] {
        match self {
            Self::PointReads => &[("", point_reads::SUITE)],
            Self::Membership => &[("", membership::SUITE)],
            Self::Memory => &[("", memory::SUITE)],
            Self::Redis => &[("", redis::SUITE)],
            Self::Policy => &[
                ("", policy::SUITE),
                ("rocksdb", policy::ROCKSDB),
                ("which", which::SUITE),
            ],
            Self::Instructions => &[("", instructions::SUITE)],
            // Has no programs: see `rates::run`.
            Self::Rates => &[],
        }
    }

    /// As it is written on the command line.
    fn text(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Programs, and what is made of their batches.
struct Suite {
    format: Format,
    programs: &'static [Program],
    /// Whether what the programs need is there, before minutes are spent.
    require: fn() -> Result<(), Failure>,
    /// Makes records and chart from the programs' files, and gives a summary.
    write: fn(&Folder, &Bench, &[PathBuf]) -> Result<String, Failure>,
}

/// A benchmark program, which writes its batches to the file after `--csv`.
struct Program {
    name: &'static str,
    /// Cargo's words before the manifest.
    run: &'static [&'static str],
    manifest: &'static str,
    /// Arguments of a quick run.
    quick: &'static [&'static str],
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let name = arguments.suite.text();
    let root = workspace::root();
    let out = (arguments.out.clone()).unwrap_or_else(|| root.join("reports").join("bench").join(&name));
    if matches!(arguments.suite, Name::Rates) {
        return rates::run(&out, arguments.quick);
    }
    // All that can be wrong comes before minutes are spent.
    let mut parts = Vec::new();
    for (below, suite) in arguments.suite.suites() {
        let path = if below.is_empty() {
            out.clone()
        } else {
            out.join(below)
        };
        let folder = Folder::check(&path, suite.format).map_err(written::output)?;
        parts.push((path, folder, suite));
    }
    for (_, _, suite) in &parts {
        (suite.require)()?;
    }
    let interrupt = Interrupt::listen().map_err(Failure::internal)?;

    // In words that repeat it.
    let quick = if arguments.quick { " --quick" } else { "" };
    let command = format!("cargo xtask bench --suite {name}{quick}");
    let temporary =
        tempfile::tempdir().map_err(|error| Failure::internal(format!("temporary folder: {error}")))?;
    let mut measured = Vec::new();
    for (path, folder, suite) in &parts {
        let bench = Bench::new(
            suite.format,
            command.clone(),
            environment::now_utc(),
            arguments.quick,
            environment::collect(),
        );
        let mut files = Vec::new();
        for program in suite.programs {
            writeln!(io::stderr(), "{}", program.name)?;
            let csv = temporary.path().join(format!("{}.csv", program.name));
            let ended = measure(&root, program, &csv, arguments.quick);
            if interrupt.requested() {
                return Err(Failure::Interrupted);
            }
            ended.map_err(Failure::Internal)?;
            files.push(csv);
        }
        measured.push((path, folder, suite, bench, files));
    }
    interrupt.ignore();
    let mut stdout = io::stdout().lock();
    for (path, folder, suite, bench, files) in &measured {
        // The folder was fit before: whatever is wrong now, it is not the arguments.
        let summary = (suite.write)(folder, bench, files)?;
        writeln!(stdout, "{summary}")?;
        writeln!(stdout, "written to {}", path.display())?;
    }
    Ok(())
}

fn measure(root: &Path, program: &Program, csv: &Path, quick: bool) -> Result<(), String> {
    let target = root.join("target").join("engines");
    let place = ["--locked", "--quiet", "--manifest-path", program.manifest];
    let mut command = suite::cargo_command(root, &[program.run, &place[..]].concat());
    command
        .arg("--target-dir")
        .arg(target)
        .arg("--")
        .arg("--csv")
        .arg(csv);
    if quick {
        command.args(program.quick);
    }
    suite::run_command(&mut command)
}
