//! `cargo xtask bench`: benchmarks against peers.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use harness::environment;
use harness::point_reads::{self, Bench, Cache, Folder, Keys, PointReads};

use super::written;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::{suite, table, workspace};

/// Measure against peers, on real engines.
///
/// Builds and runs the benchmark programs, which are workspaces of their own, and writes records (CSV and JSON) and a
/// chart (SVG and PNG). Times are of this machine, which should have nothing else to do; ratios are formed within
/// rounds of one run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask bench\n  \
    cargo xtask bench --suite point-reads --quick --out my-bench\n\n\
    point-reads needs LevelDB and a C++ compiler (Debian: libleveldb-dev, g++) and 700 MB for temporary files.")]
pub(crate) struct Arguments {
    /// What to measure
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Suite::PointReads)]
    suite: Suite,

    /// Fewer rounds on smaller databases: to see that it works, not to be quoted
    #[arg(long)]
    quick: bool,

    /// Folder of the records: absent, empty, or of an earlier run [default: reports/bench/NAME in the workspace]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Suite {
    /// Blocks read and time of a Get on LevelDB and rusty-leveldb, without filters and with each policy
    PointReads,
}

/// A benchmark program, which writes its batches to the file after `--csv`.
struct Program {
    engine: &'static str,
    /// Cargo's words before the manifest.
    run: &'static [&'static str],
    manifest: &'static str,
    /// Arguments of a quick run.
    quick: &'static [&'static str],
}

const PROGRAMS: [Program; 2] = [
    Program {
        engine: "LevelDB",
        run: &["run", "--release", "--bin", "point_reads"],
        manifest: "crates/filter-policy-leveldb/real-engine/Cargo.toml",
        quick: &["--entries", "50000", "--rounds", "15"],
    },
    Program {
        engine: "rusty-leveldb",
        run: &["bench", "--bench", "point_reads"],
        manifest: "crates/filter-policy-rusty-leveldb/Cargo.toml",
        quick: &["--entries", "20000", "--rounds", "15"],
    },
];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Suite::PointReads = arguments.suite;
    let root = workspace::root();
    let out =
        (arguments.out.clone()).unwrap_or_else(|| root.join("reports").join("bench").join("point-reads"));
    let folder = Folder::check(&out).map_err(written::output)?;
    require_leveldb()?;
    let interrupt = Interrupt::listen().map_err(Failure::internal)?;

    let bench = Bench::new(
        command(arguments),
        environment::now_utc(),
        arguments.quick,
        environment::collect(),
    );
    let temporary =
        tempfile::tempdir().map_err(|error| Failure::internal(format!("temporary folder: {error}")))?;
    let mut batches = Vec::new();
    for program in &PROGRAMS {
        writeln!(io::stderr(), "{}", program.engine)?;
        let csv = temporary.path().join(format!("{}.csv", program.engine));
        let ended = measure(&root, program, &csv, arguments.quick);
        if interrupt.requested() {
            return Err(Failure::Interrupted);
        }
        ended.map_err(Failure::Internal)?;
        batches.extend(point_reads::read_batches(&csv).map_err(Failure::internal)?);
    }
    interrupt.ignore();
    // The folder was fit before: whatever is wrong now, it is not the arguments.
    let rows = point_reads::write(&folder, &bench, &batches).map_err(Failure::internal)?;

    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", summary(&rows))?;
    writeln!(stdout, "records and chart: {}", out.display())?;
    Ok(())
}

/// The command line, in words that repeat it.
fn command(arguments: &Arguments) -> String {
    let quick = if arguments.quick { " --quick" } else { "" };
    format!("cargo xtask bench --suite point-reads{quick}")
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

/// Checks that the C++ compiler finds LevelDB, before minutes are spent.
fn require_leveldb() -> Result<(), Failure> {
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let found = Command::new(&compiler)
        .args(["-fsyntax-only", "-include", "leveldb/c.h", "-x", "c++", "-"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let missing = match found {
        Ok(status) if status.success() => return Ok(()),
        Ok(_) => "LevelDB's headers (package libleveldb-dev)".to_owned(),
        Err(error) => format!("{} (package g++): {error}", compiler.display()),
    };
    Err(Failure::input(format!(
        "missing: {missing}; run `apt-get install g++ libleveldb-dev`"
    )))
}

/// A table for each engine, what the block cache holds, and kind of keys.
fn summary(rows: &[PointReads]) -> String {
    let group = |row: &PointReads| (row.engine.clone(), row.key_set, row.cache, row.keys);
    let mut text = String::new();
    for rows in rows.chunk_by(|a, b| group(a) == group(b)) {
        let Some(first) = rows.first() else { continue };
        let keys = match first.keys {
            Keys::Absent => "absent keys",
            Keys::Present => "present keys",
        };
        let cache = match first.cache {
            Cache::Nothing => "no block cached",
            Cache::OneBlock => "one block cached",
            Cache::Everything => "every block cached",
        };
        let lines = rows.iter().map(|row| {
            [
                row.policy.words().to_owned(),
                format!("{:.4}", row.blocks_per_get),
                format!("{:.0} \u{b1} {:.0}", row.median_ns_per_get, row.mad_ns_per_get),
                format!("{:.3}", row.ratio_to_no_filter),
                format!("{:.3}\u{2013}{:.3}", row.ratio_low, row.ratio_high),
            ]
        });
        let header = [
            "policy",
            "blocks/Get",
            "ns/Get \u{b1} MAD",
            "of no filter",
            "95 % CI",
        ];
        let table = table::table(header, &[1, 2, 3, 4], lines);
        text.push_str(&format!(
            "\n{} {}, {keys}, {cache}\n{table}\n",
            first.engine, first.version
        ));
    }
    text
}
