//! `cargo xtask check`: may a change land?

use std::path::Path;
use std::process::Command;

use clap::builder::PossibleValuesParser;
use serde_json::Value;

use crate::cargo::{cargo, cargo_command, failed, output_of, run_command, words};
use crate::cross;
use crate::needs::{self, CODESPELL, PYTHON, TOOLS};
use crate::steps::{self, Step};
use crate::{published, python};

/// Check what a change must pass besides the tests
///
/// Checks format, spelling, the manifests of published packages and clippy; runs the tests of filters by the portable
/// kernel, and of every set of features that works without the standard library; packs all packages, and builds the
/// wheels for Python as they are released; builds the documentation; explores every interleaving of the concurrent filter; runs the
/// program that proves no_std; compares the committed run and the published figures; and tests the libraries on 64-bit
/// Arm, on big-endian s390x and on WebAssembly, in emulators. Stops at the first failure and prints the time of each
/// step.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask check --install\n  cargo xtask check --from documentation")]
pub(crate) struct Arguments {
    /// Install missing system packages first (Debian and its relatives)
    #[arg(long)]
    install: bool,
    /// Start at this step
    #[arg(long, value_name = "STEP", value_parser = PossibleValuesParser::new(STEPS.map(|(name, _)| name)))]
    from: Option<String>,
}

/// The steps in order; those that fail fastest come first.
const STEPS: [Step; 13] = [
    ("format", format),
    ("spelling", spelling),
    ("published", published::check),
    ("clippy", |root| {
        clippy(root, "--workspace --all-targets --all-features")
    }),
    ("portable-kernel", portable_kernel),
    ("no-std", without_std),
    ("packages", published::pack),
    ("wheel", python::check),
    ("documentation", documentation),
    ("loom", |root| {
        // Optimised, because even a few threads have very many interleavings.
        let arguments = "test --release --locked --package membership-filters --test model";
        run_command(cargo_command(root, &words(arguments)).env("RUSTFLAGS", "--cfg loom"))
    }),
    ("freestanding", freestanding),
    ("reproduce", reproduce),
    ("cross", |root| {
        (cross::usual().into_iter()).try_for_each(|target| cross::test(root, target))
    }),
];

/// The crates that work without the standard library, and the feature sets to check.
const NO_STD: [&str; 8] = [
    "--package hashzoo --no-default-features",
    "--package filter-policy --no-default-features",
    "--package filter-policy --no-default-features --features alloc",
    "--package filter-policy --no-default-features --features serde",
    "--package filter-tables --no-default-features",
    "--package filter-parquet --no-default-features",
    "--package membership-filters --no-default-features",
    "--package membership-filters --no-default-features --features serde",
];

/// Builds all tests, and states their programs.
const BUILD: &str =
    "test --workspace --all-features --locked --no-run --message-format json-render-diagnostics";

/// Packages outside of the workspace.
const OUTSIDE: [&str; 2] = ["crates/filters/filter-policy/freestanding", "crates/fuzz"];

/// Runs all steps from the one that is named.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let targets = cross::usual();
    needs::require(
        &[CODESPELL, PYTHON, &cross::needs(&targets)].concat(),
        arguments.install,
        "check",
    )?;
    cross::require(&targets, arguments.install, "check")?;
    needs::require_python(&steps::root(), &[TOOLS], arguments.install, "check")?;
    let named = |name: &String| STEPS.iter().position(|(step, _)| step == name);
    let first = arguments.from.as_ref().and_then(named).unwrap_or(0);
    steps::run(&STEPS[first..])
}

fn format(root: &Path) -> Result<(), String> {
    // Formatted as a workspace, a package outside of it would be formatted with all that it depends on.
    cargo(root, &words("fmt --all --check"))?;
    OUTSIDE.iter().try_for_each(|package| {
        let manifest = format!("{package}/Cargo.toml");
        cargo(root, &["fmt", "--check", "--manifest-path", &manifest])
    })
}

/// Looks for common misspellings in hand-written files, with a list of exceptions.
fn spelling(root: &Path) -> Result<(), String> {
    let generated = ".git,target,./reports,*.lock,LICENSE-*,./bench-data/*/*,data,golden,embedded,*.svg";
    let mut command = Command::new("codespell");
    command.args(words("--check-hidden --ignore-words .config/spelling.txt --skip"));
    run_command(command.arg(generated).current_dir(root))
}

/// Runs clippy with lints besides those of the manifest, which apply to every build. An ignored test states what it
/// needs.
fn clippy(root: &Path, selection: &str) -> Result<(), String> {
    let lints = "-D warnings -D clippy::unimplemented -D clippy::ignore_without_reason";
    cargo(root, &words(&format!("clippy {selection} -- {lints}")))
}

/// Builds the tests as `cargo xtask test` does, which has built them, and runs those of `filter-policy` by the portable
/// kernel, which processors without AVX2 use; other tests use the best one. Rates are skipped because the bytes are the
/// same.
fn portable_kernel(root: &Path) -> Result<(), String> {
    let messages = output_of(&mut cargo_command(root, &words(BUILD)))?;
    let folder = root.join("crates/filters/filter-policy");
    let manifest = folder.join("Cargo.toml").display().to_string();
    let mut programs = 0;
    for message in String::from_utf8_lossy(&messages).lines() {
        let message: Value = serde_json::from_str(message).unwrap_or_default();
        let is_test = message["profile"]["test"] == true && message["manifest_path"] == manifest;
        if let Some(program) = message["executable"].as_str().filter(|_| is_test) {
            programs += 1;
            let mut test = Command::new(program);
            test.args(["--skip", "rates::"]).current_dir(&folder);
            run_command(test.env("FILTER_POLICY_KERNEL", "scalar"))?;
        }
    }
    if programs == 0 {
        return Err(failed("cargo built no tests of", folder.display()));
    }
    Ok(())
}

/// Makes the committed run again, by the program that cargo builds for its tests.
fn reproduce(root: &Path) -> Result<(), String> {
    output_of(&mut cargo_command(root, &words(BUILD)))?;
    let mut program = Command::new(needs::target(root).join("debug/hash-comparison"));
    run_command(
        program
            .arg("reproduce")
            .env(steps::WORKSPACE, root)
            .current_dir(root),
    )
}

fn without_std(root: &Path) -> Result<(), String> {
    (NO_STD.iter()).try_for_each(|selection| clippy(root, selection))?;
    // Only unit tests, because other tests run with the standard library. All packages at once, as cargo builds them
    // together.
    let packages = "--package hashzoo --package filter-policy --package filter-tables --package filter-parquet \
                    --package membership-filters";
    let arguments = format!("test --lib --no-default-features --features filter-policy/alloc {packages}");
    cargo(root, &words(&arguments))
}

fn documentation(root: &Path) -> Result<(), String> {
    // All features come last, so that their pages remain.
    let all = "--workspace --lib --all-features";
    (NO_STD.iter().chain([&all])).try_for_each(|selection| {
        let arguments = format!("doc --no-deps {selection}");
        run_command(cargo_command(root, &words(&arguments)).env("RUSTDOCFLAGS", "-D warnings"))
    })
}

/// Lints, builds and runs the program that proves `no_std`. It has no allocator: the compiler refuses a crate that wants
/// one.
fn freestanding(root: &Path) -> Result<(), String> {
    let selection = format!(
        "--release --locked --target-dir target/freestanding --manifest-path {}/Cargo.toml",
        OUTSIDE[0]
    );
    clippy(root, &selection)?;
    cargo(root, &words(&format!("run {selection}")))
}
