//! `cargo xtask fuzz`, coverage-guided: builds the targets as `cargo fuzz` does, and runs them one after another.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cargo::{cargo_command, failed, run_command, words};
use crate::steps;

/// Counters at every edge and comparison, which guide libFuzzer, and a sanitizer.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Zsanitizer=address -Ccodegen-units=1";

/// An explicit target, so that build scripts and procedural macros are built without a sanitizer.
pub(crate) const HOST: &str = "x86_64-unknown-linux-gnu";

/// Give damaged bytes to every reader of foreign bytes.
///
/// libFuzzer looks for inputs that reach new code, with AddressSanitizer and overflow checks. It starts from the
/// committed inputs and keeps new ones under `target/fuzz`; a failing input is stored there, and its name is printed.
/// This needs a C++ compiler. `cargo xtask test` gives the committed inputs to the readers of filters, filter blocks,
/// tables, and Parquet's headers and footers.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask fuzz\n  cargo xtask fuzz filters tables --seconds 3600")]
pub(crate) struct Arguments {
    /// Fuzz targets, the files in crates/fuzz/fuzz_targets, one after another [default: all]
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
    /// Time for each target
    #[arg(long, value_name = "N", default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Afterwards write a minimal set of inputs with the same coverage to crates/fuzz/corpus
    #[arg(long)]
    keep: bool,
}

/// Lists the targets, which are files.
fn targets(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("crates/fuzz/fuzz_targets");
    let unread = |error| failed(folder.display(), error);
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unread)? {
        let path = entry.map_err(unread)?.path();
        names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let root = &steps::root();
    let targets = match &arguments.targets[..] {
        [] => targets(root)?,
        targets => targets.to_vec(),
    };
    let out = root.join("target/fuzz");
    let mut build = cargo_command(
        root,
        &words("build --release --manifest-path crates/fuzz/Cargo.toml --target"),
    );
    build.arg(HOST).arg("--target-dir").arg(&out);
    build.args(targets.iter().flat_map(|target| ["--bin", target]));
    // The first variable allows the unstable flags in the second; `cargo fuzz` requires a nightly compiler instead.
    build.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", FLAGS);
    run_command(&mut build)?;
    for target in &targets {
        eprintln!("\n==> {target}");
        fuzz(root, &out, target, arguments)?;
    }
    Ok(())
}

/// Runs a target from the inputs that are there, and keeps new ones.
fn fuzz(root: &Path, out: &Path, target: &str, arguments: &Arguments) -> Result<(), String> {
    let program = || {
        let mut program = Command::new(out.join(HOST).join("release").join(target));
        program.args(words("-close_fd_mask=1 -timeout=10 -rss_limit_mb=2048"));
        program
    };
    let found = out.join("corpus").join(target);
    let failing = out.join(format!("{target}-failing-"));
    // The smallest inputs with the same coverage.
    let committed = root.join("crates/fuzz/corpus").join(format!("{target}.tar.gz"));
    make(&found)?;
    if committed.exists() {
        let mut unpack = Command::new("tar");
        unpack.args(["--no-overwrite-dir", "-xzf"]).arg(&committed);
        run_command(unpack.arg("-C").arg(&found))?;
    }
    let mut run = program();
    run.arg(format!("-max_total_time={}", arguments.seconds));
    run.arg("-print_final_stats=1");
    run.arg(format!("-artifact_prefix={}", failing.display()));
    run_command(run.arg(&found))?;
    if !arguments.keep {
        return Ok(());
    }
    let smallest = found.with_extension("smallest");
    make(&smallest)?;
    let mut merge = program();
    merge.args(["-merge=1", "-max_len=1500"]);
    run_command(merge.args([&smallest, &found]))?;
    // The archive's bytes depend only on the inputs.
    let mut pack = Command::new("tar");
    pack.args(words(
        "--sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX",
    ));
    pack.args(["--use-compress-program=gzip -9n", "-cf"]);
    run_command(pack.arg(&committed).arg("-C").arg(&smallest).arg("."))?;
    fs::remove_dir_all(&smallest).map_err(|error| failed(smallest.display(), error))
}

fn make(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| failed(folder.display(), error))
}
