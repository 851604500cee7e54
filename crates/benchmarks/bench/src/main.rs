//! The program behind `cargo xtask bench`: builds and runs the benchmark programs, one package for each peer, and turns
//! their measurements into records and summaries.
#![forbid(unsafe_code)]

mod suites;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use bench_kit::Bench;
use bench_kit::folder::KIND;
use clap::{Parser, ValueEnum as _};
use records::folder::Destination;
use suites::{Name, Part};
use terminal::failure::Failure;
use terminal::interrupt::Interrupt;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
enum Cli {
    Bench(Arguments),
}

/// Benchmark filters against peers, on real engines.
///
/// Builds and runs the benchmark programs, and writes records (CSV and JSON). Times belong to this
/// machine, which should be idle otherwise; ratios are formed within the rounds of one run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask bench\n  \
    cargo xtask bench --suite point-reads --quick --out my-bench\n  \
    cargo xtask bench --suite policy\n\n\
    point-reads and policy need LevelDB and a C++ compiler, point-reads also 700 MB for temporary files, policy RocksDB 7.8 \
    and 3 GB of memory; membership needs Guava, a JDK and 3 GB of memory; redis needs a server and redis-benchmark; \
    rates needs 4 GB of memory. What is missing is named with its Debian package.")]
struct Arguments {
    /// The suite to run
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Name::PointReads)]
    suite: Name,

    /// Run fewer rounds on fewer keys, to check that the suite works; do not quote the figures
    #[arg(long)]
    quick: bool,

    /// The folder for the records: absent, empty, or of an earlier run [default: reports/bench/NAME in the workspace]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

fn main() -> ExitCode {
    let Cli::Bench(arguments) = Cli::parse();
    bench(&arguments).map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}

/// The folder of the main workspace.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3);
    root.unwrap_or(Path::new("/")).to_owned()
}

fn bench(arguments: &Arguments) -> Result<(), Failure> {
    let value = arguments.suite.to_possible_value();
    let name = value.map_or_else(String::new, |value| value.get_name().to_owned());
    let default = || root().join("reports/bench").join(&name);
    let out = arguments.out.clone().unwrap_or_else(default);
    // Components without a trailing slash.
    let folder = |part: &Part| out.join(part.below).components().collect::<PathBuf>();
    let parts = arguments.suite.parts();
    // Everything is checked before minutes are spent.
    for part in parts {
        Destination::check(&folder(part), &KIND)?;
    }
    for part in parts {
        xtask::check(part.needs, "test").map_err(Failure::Input)?;
    }
    let interrupt = Interrupt::listen()?;
    // The command line that repeats the run.
    let quick = if arguments.quick { " --quick" } else { "" };
    let command = format!("cargo xtask bench --suite {name}{quick}");
    let mut measured = Vec::new();
    for part in parts {
        let bench = Bench::now(command.clone(), arguments.quick);
        let batches = measure(part, arguments.quick);
        if interrupt.requested() {
            return Err(Failure::Interrupted);
        }
        measured.push((part, bench, batches?));
    }
    interrupt.ignore();
    let mut stdout = io::stdout().lock();
    for (part, bench, batches) in measured {
        // The folder passed its check, so a failure here is not the user's fault.
        let written = part.suite.write(&folder(part), bench, &batches);
        writeln!(stdout, "{}", written.map_err(Failure::internal)?)?;
        writeln!(stdout, "written to {}", folder(part).display())?;
    }
    Ok(())
}

/// Builds and runs the program of a part, and returns the batches that it writes.
fn measure(part: &Part, is_quick: bool) -> Result<Vec<u8>, Failure> {
    let [package, program] = part.program;
    writeln!(io::stderr(), "{package} {program}")?;
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Cargo looks for the workspace's configuration here.
    cargo.current_dir(root());
    cargo
        .args(["run", "--release", "--locked", "--quiet"])
        .args(["--package", package, "--", program])
        .args(is_quick.then_some("--quick"))
        .stderr(Stdio::inherit());
    match cargo.output() {
        Ok(output) if output.status.success() => Ok(output.stdout),
        Ok(output) => Err(Failure::internal(format!("{package}: {}", output.status))),
        Err(error) => Err(Failure::internal(format!("cargo: {error}"))),
    }
}
