//! Instruction counts of every policy with the portable kernel, from valgrind.

use std::fs;
use std::process::{Command, Stdio};

use bench_kit::record::Batch;
use bench_kit::suites::instructions::SUITE;
use records::environment;
use records::environment::Environment;

/// The call that starts and ends counting, in the package `bench-instructions`.
const COUNTED: &str = "bench_instructions::counted";

/// Builds the package `bench-instructions`, runs it once under valgrind, and returns the rows.
///
/// # Errors
///
/// If valgrind fails or its output is not as expected.
pub(crate) fn count() -> Result<Vec<Batch>, String> {
    let environment = environment::collect();
    let counts = run("scalar", &[])?.into_iter();
    counts
        .map(|(line, total)| {
            row(&line, total, &environment).ok_or_else(|| format!("the work printed `{line}`"))
        })
        .collect()
}

/// Runs the program with these arguments and the fastest kernel up to this one. Returns its lines, each with its
/// instructions.
fn run(kernel: &str, arguments: &[&str]) -> Result<Vec<(String, u64)>, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("temporary folder: {error}"))?;
    let dumps = folder.path().join("counts");
    let runner = format!(
        "target.'cfg(all())'.runner = ['valgrind', '--quiet', '--tool=callgrind', '--toggle-collect={COUNTED}', \
         '--dump-after={COUNTED}', '--callgrind-out-file={}']",
        dumps.display()
    );
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "run",
            "--quiet",
            "--release",
            "--locked",
            "--package",
            "bench-instructions",
        ])
        .args([
            "--manifest-path",
            concat!(env!("CARGO_MANIFEST_DIR"), "/../bench-instructions/Cargo.toml"),
        ])
        .args(["--config", &runner, "--"])
        .args(arguments)
        .env("FILTER_POLICY_KERNEL", kernel)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("valgrind: {}", output.status));
    }
    let lines = String::from_utf8_lossy(&output.stdout);
    // Dumps are numbered from 1.
    (lines.lines().zip(1..))
        .map(|(line, number)| {
            let path = dumps.with_extension(format!("{number}"));
            let dump = fs::read_to_string(&path)
                .map_err(|error| format!("valgrind's counts of `{line}`: {}: {error}", path.display()))?;
            let total =
                total(&dump).ok_or_else(|| format!("valgrind's counts of `{line}` have no total above 0"))?;
            Ok((line.to_owned(), total))
        })
        .collect()
}

/// Returns the instructions in a callgrind dump, if there are any.
fn total(dump: &str) -> Option<u64> {
    let counts_instructions = dump.lines().any(|line| line == "events: Ir");
    let total = dump.lines().find_map(|line| line.strip_prefix("totals: "))?;
    total
        .trim()
        .parse()
        .ok()
        .filter(|&total| counts_instructions && total > 0)
}

/// Parses a line of the program's output.
fn row(line: &str, total: u64, environment: &Environment) -> Option<Batch> {
    let [policy, key_lengths, task, keys] = line.split(',').collect::<Vec<_>>()[..] else {
        return None;
    };
    let keys = keys.parse().ok().filter(|&keys: &u64| keys > 0)?;
    let parameters: [&dyn std::fmt::Display; 3] = [&environment.rustc, &environment.target, &key_lengths];
    Some(SUITE.case(policy, task, &parameters).batch(1, keys, total))
}

#[cfg(test)]
mod tests;
