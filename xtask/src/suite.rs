//! `cargo xtask test`: the steps of the test suite.

mod freestanding;
mod guides;
mod lints;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::binaries::{Binaries, now};
use crate::cargo::{cargo, cargo_command, failed, run_command, words};
use crate::{Failure, cross, programs, public_items, workspace};
use clap::builder::PossibleValuesParser;

/// Run the whole test suite.
///
/// Checks formatting, spelling and clippy; runs all tests, including those on real storage
/// engines, then again with the portable kernel, and without the standard library; packs all packages; builds the
/// documentation; explores every interleaving of the concurrent filter; runs the program that proves no_std; compares
/// the committed run and the published figures; follows the guides; and tests the libraries on 64-bit
/// Arm and on big-endian s390x, in emulators. Stops at the first failure and prints the time of each step. Without
/// --install it fails at once if a program that it needs is missing, and lists what is missing.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask test --install\n  cargo xtask test --from documentation\n\n\
        The tests of one package are quick: `cargo test -p PACKAGE`."
)]
pub(crate) struct Arguments {
    /// Install missing system packages first (Debian and its relatives)
    #[arg(long)]
    install: bool,
    /// Start at this step
    #[arg(long, value_name = "STEP", value_parser = PossibleValuesParser::new(STEPS.map(|step| step.name)))]
    from: Option<String>,
}

struct Step {
    name: &'static str,
    run: fn(&mut Suite) -> Result<(), Failure>,
}

/// The state that steps share.
struct Suite {
    root: PathBuf,
    binaries: Binaries,
}

/// The crates that work without the standard library, and the feature sets to test.
const NO_STD: [(&str, &[&str]); 8] = [
    ("hashzoo", &["--no-default-features"]),
    ("filter-policy", &["--no-default-features"]),
    ("filter-policy", &["--no-default-features", "--features", "alloc"]),
    ("filter-policy", &["--no-default-features", "--features", "serde"]),
    ("filter-tables", &["--no-default-features"]),
    ("filter-parquet", &["--no-default-features"]),
    ("membership-filters", &["--no-default-features"]),
    (
        "membership-filters",
        &["--no-default-features", "--features", "serde"],
    ),
];
/// Optional features with tests.
const FEATURES: &str =
    "filter-policy/serde,membership-filters/save,membership-filters/serde,membership-filters/slot";
/// Cargo's selection of all packages.
const WORKSPACE: [&str; 3] = ["--workspace", "--features", FEATURES];
/// The name of the step that is in every run.
const BUILD: &str = "tests: build";

impl Step {
    const fn new(name: &'static str, run: fn(&mut Suite) -> Result<(), Failure>) -> Self {
        Self { name, run }
    }
}

/// The steps in order; those that fail fastest come first.
const STEPS: [Step; 15] = [
    Step::new("format", |suite| {
        // Formatted as a workspace, a package outside of it would be formatted with all that it depends on.
        cargo(&suite.root, &words("fmt --all --check"))?;
        ["filters/filter-policy/freestanding", "fuzz"]
            .iter()
            .try_for_each(|package| {
                let manifest = format!("crates/{package}/Cargo.toml");
                cargo(&suite.root, &["fmt", "--check", "--manifest-path", &manifest])
            })
    }),
    Step::new("spelling", |suite| spelling(&suite.root)),
    Step::new("clippy", |suite| {
        lints::check_all_targets(&suite.root, &WORKSPACE)
    }),
    Step::new(BUILD, |suite| {
        suite.binaries = Binaries::build(&suite.root, &WORKSPACE)?;
        Ok(())
    }),
    Step::new("tests", |suite| {
        // Tests that need a browser are ignored by default.
        suite.binaries.run(|_| Some(vec!["--include-ignored"]), &[])
    }),
    Step::new("tests: documentation", |suite| {
        cargo(&suite.root, &[&["test", "--doc"], &WORKSPACE[..]].concat())
    }),
    Step::new("tests by the portable kernel", |suite| {
        // Tests otherwise use the best kernel, and processors without AVX2 use this one. Rates are skipped because the
        // bytes are the same.
        let scalar = [("FILTER_POLICY_KERNEL", "scalar")];
        suite.binaries.run(
            |binary| (*binary.package == *"filter-policy").then(|| words("--skip rates::")),
            &scalar,
        )
    }),
    Step::new("packages", |suite| {
        // Without builds from the archives, which take minutes: `cargo package --workspace` and `cargo xtask release`
        // do them.
        let arguments = words("package --workspace --locked --no-verify --allow-dirty");
        cargo(&suite.root, &arguments)
    }),
    Step::new("without the standard library", |suite| without_std(&suite.root)),
    Step::new("documentation", |suite| documentation(&suite.root, false)),
    Step::new("model of the concurrent filter", |suite| {
        // Optimised, because even a few threads have very many interleavings.
        let arguments = words("test --release --package membership-filters-model");
        run_command(cargo_command(&suite.root, &arguments).env("RUSTFLAGS", "--cfg loom"))
    }),
    Step::new("freestanding program", |suite| freestanding::check(&suite.root)),
    Step::new("committed run", |suite| {
        let mut program = Command::new(suite.binaries.program("hash-comparison")?);
        program.arg("reproduce").env(workspace::VARIABLE, &suite.root);
        run_command(program.current_dir(&suite.root))
    }),
    Step::new("guides", |suite| {
        let program = suite.binaries.program("hash-comparison")?;
        guides::check(&suite.root, program.parent().unwrap_or(program))
    }),
    Step::new("other processors", |suite| {
        (cross::usual().into_iter()).try_for_each(|target| cross::test(&suite.root, target))
    }),
];

/// Runs all steps from the one that is named, and stops at the first failure. The tests are always built.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let install = arguments.install;
    let targets = cross::usual();
    let needs = [xtask::of_suite(), cross::needs(&targets)].concat();
    programs::require(&needs, install, "test")?;
    cross::require(&targets, install)?;
    programs::require_python(&workspace::root(), install)?;
    let mut suite = Suite {
        root: workspace::root(),
        binaries: Binaries::default(),
    };
    let named = |name: &String| STEPS.iter().position(|step| step.name == name);
    let first = arguments.from.as_ref().and_then(named).unwrap_or(0);
    let steps = (STEPS.iter().enumerate())
        .filter(move |(index, step)| *index >= first || step.name == BUILD)
        .map(|(_, step)| step);
    let mut result = Ok(());
    let mut times = Vec::new();
    for step in steps.clone() {
        println!("\n==> {}", step.name);
        let start = now();
        result = (step.run)(&mut suite).map_err(|error| failed(step.name, error));
        times.push((step.name, start.elapsed()));
        if result.is_err() {
            break;
        }
    }
    println!("\n{}", table(&times));
    for step in steps.skip(times.len()) {
        println!("not run: {}", step.name);
    }
    for kernel in kernels_not_tested() {
        println!("not tested: the kernel {kernel}, which this processor lacks");
    }
    result
}

/// Returns the kernels that the tests skip here because the processor, or its virtual machine, lacks the instructions.
/// NEON is tested in an emulator, which has neither of these.
fn kernels_not_tested() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    let found = [
        ("avx2", std::is_x86_feature_detected!("avx2")),
        (
            "avx512",
            std::is_x86_feature_detected!("avx512bw")
                && std::is_x86_feature_detected!("avx512dq")
                && std::is_x86_feature_detected!("avx512vl"),
        ),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let found = [("avx2", false), ("avx512", false)];
    let lacking = found.into_iter().filter(|&(_, found)| !found);
    lacking.map(|(kernel, _)| kernel).collect()
}

/// Formats the times of the steps and their sum.
fn table(times: &[(&str, Duration)]) -> String {
    let row = |name: &str, time: Duration| {
        let seconds = time.as_secs();
        format!("{:>4}:{:02}  {name}\n", seconds / 60, seconds % 60)
    };
    let rows: String = times.iter().map(|&(name, time)| row(name, time)).collect();
    rows + &row("in all", times.iter().map(|&(_, time)| time).sum())
}

/// Looks for common misspellings in hand-written files, with a list of exceptions.
fn spelling(root: &Path) -> Result<(), Failure> {
    let generated =
        ".git,target,./reports,*.lock,LICENSE-*,./bench-data/*/*,data,golden,snapshots,embedded,*.svg";
    let mut command = Command::new("codespell");
    command.args([
        "--check-hidden",
        "--ignore-words",
        ".config/spelling.txt",
        "--skip",
        generated,
    ]);
    run_command(command.current_dir(root))
}

fn document(root: &Path, arguments: &[&str]) -> Result<(), Failure> {
    let mut command = cargo_command(root, &[&["doc", "--no-deps"], arguments].concat());
    run_command(command.env("RUSTDOCFLAGS", "-D warnings"))
}

fn without_std(root: &Path) -> Result<(), Failure> {
    for (package, features) in NO_STD {
        lints::check(root, &[&["--package", package], features].concat())?;
    }
    // Only unit tests, because other tests run with the standard library. All packages at once, as cargo builds them
    // together.
    let mut arguments = words("test --lib --no-default-features --features filter-policy/alloc");
    for (package, _) in NO_STD {
        arguments.extend(["--package", package]);
    }
    cargo(root, &arguments)
}

/// Builds the documentation, and compares the public items of published libraries with their lists, or renews those.
pub(crate) fn documentation(root: &Path, renew: bool) -> Result<(), Failure> {
    for (package, features) in NO_STD {
        document(root, &[&["--package", package], features].concat())?;
    }
    // Last, so that the pages with all features remain. With examples, dependencies have the same features as for
    // clippy, and need not be checked again.
    let selection = ["--workspace", "--lib", "--examples", "--features", FEATURES];
    document(root, &selection)?;
    public_items::check(root, renew)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_row_for_each_step_and_the_sum() {
        let times = [
            ("format", Duration::from_millis(3900)),
            ("tests", Duration::from_secs(61)),
        ];
        assert_eq!(
            table(&times),
            "   0:03  format\n   1:01  tests\n   1:04  in all\n"
        );
    }
}
