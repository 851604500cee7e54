//! The command line: measures the parts of a suite one after the other, and writes their records and tables.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum as _};
use records::folder::Destination;
use terminal::bar::Terminal;
use terminal::failure::Failure;

use crate::folder::{self, Bench, KIND};
use crate::parts::{Name, Part};
use crate::turns::Run;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
enum Cli {
    Bench(Arguments),
}

/// Benchmark filters against peers, on real engines.
///
/// Runs a suite, and writes records (CSV and JSON). Times belong to this machine, which should be
/// idle otherwise; ratios are formed within the rounds of one run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask bench\n  \
    cargo xtask bench --suite point-reads --quick --out my-bench\n  \
    cargo xtask bench --suite policy\n\n\
    point-reads and policy need LevelDB and a C++ compiler, point-reads also 700 MB for temporary files, policy RocksDB 7.8 \
    and 3 GB of memory; membership needs Guava, a JDK and 3 GB of memory; redis needs a server and redis-benchmark; \
    rates needs 4 GB of memory. What is missing is named; `cargo xtask test --install` installs it.")]
struct Arguments {
    /// The suite to run
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Name::PointReads)]
    suite: Name,

    /// Run only the part with this folder, such as parquet; `main` is the part without one
    #[arg(long, value_name = "NAME")]
    part: Option<String>,

    /// Run fewer rounds on fewer keys, to check that the suite works; do not quote the figures
    #[arg(long)]
    quick: bool,

    /// The folder for the records: absent, empty, or of an earlier run [default: reports/bench/NAME in the workspace]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the program.
pub fn run() -> ExitCode {
    let Cli::Bench(arguments) = Cli::parse();
    bench(&arguments).map_or_else(|failure| failure.report().into(), |()| ExitCode::SUCCESS)
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    root.unwrap_or(Path::new("/")).to_owned()
}

fn bench(arguments: &Arguments) -> Result<(), Failure> {
    let value = arguments.suite.to_possible_value();
    let name = value.map_or_else(String::new, |value| value.get_name().to_owned());
    let default = || root().join("reports/bench").join(&name);
    let out = arguments.out.clone().unwrap_or_else(default);
    // Components without a trailing slash.
    let folder = |part: &Part| out.join(part.below).components().collect::<PathBuf>();
    let name_of = |part: &Part| if part.below.is_empty() { "main" } else { part.below };
    let all = arguments.suite.parts();
    let is_chosen = |part: &&Part| {
        arguments
            .part
            .as_ref()
            .is_none_or(|chosen| *chosen == name_of(part))
    };
    let parts: Vec<&Part> = all.iter().filter(is_chosen).collect();
    if parts.is_empty() {
        let known: Vec<&str> = all.iter().map(name_of).collect();
        return Err(Failure::Input(format!(
            "--part must be one of {}",
            known.join(", ")
        )));
    }
    // Everything is checked before minutes are spent.
    for part in &parts {
        Destination::check(&folder(part), &KIND)?;
    }
    let missing = |peer| {
        let install = "run `cargo xtask test --install`, and this command again";
        Failure::Input(format!(
            "{peer} was missing when this program was built; {install}"
        ))
    };
    let measures = parts.iter().map(|part| part.measure.map_err(missing));
    let measures: Vec<_> = measures.collect::<Result<_, _>>()?;
    let terminal = Terminal::listen()?;
    let run = Run {
        is_quick: arguments.quick,
        progress: &terminal,
    };
    // The command line that repeats the run.
    let quick = if arguments.quick { " --quick" } else { "" };
    let part = arguments
        .part
        .as_ref()
        .map_or_else(String::new, |part| format!(" --part {part}"));
    let command = format!("cargo xtask bench --suite {name}{part}{quick}");
    let mut measured = Vec::new();
    for (part, measure) in parts.into_iter().zip(measures) {
        let bench = Bench::now(command.clone(), arguments.quick);
        let batches = measure(&run);
        // Ctrl-C also ends the programs that a part has started, which then seem to fail.
        run.go_on()?;
        measured.push((part, bench, batches?));
    }
    terminal.interrupt.ignore();
    let mut stdout = io::stdout().lock();
    for (part, bench, batches) in measured {
        // The folder passed its check, so a failure here is not the user's fault.
        let written = folder::write(part.suite, &folder(part), bench, &batches);
        writeln!(stdout, "{}", written.map_err(Failure::internal)?)?;
        writeln!(stdout, "written to {}", folder(part).display())?;
    }
    Ok(())
}
