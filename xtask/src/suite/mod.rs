//! The test suite: its steps, and what they need.

mod engines;
mod freestanding;
mod installed;
mod loom;
pub(crate) mod programs;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::{tidy, workspace};

/// One part of the suite.
struct Step {
    name: &'static str,
    run: fn(&Path) -> Result<(), String>,
}

/// Crates that work without the standard library, and the feature sets in which that is tried.
const NO_STD: [(&str, &[&str]); 5] = [
    ("hashzoo", &["--no-default-features"]),
    ("filter-policy", &["--no-default-features"]),
    ("filter-policy", &["--no-default-features", "--features", "alloc"]),
    ("guava-bloom", &["--no-default-features"]),
    ("membership-filters", &["--no-default-features"]),
];

/// In order: what fails fastest comes first.
const STEPS: [Step; 14] = [
    Step {
        name: "tidy",
        run: tidy_step,
    },
    Step {
        name: "format",
        run: |root| cargo(root, &["fmt", "--all", "--check"]),
    },
    Step {
        name: "clippy",
        run: |root| {
            cargo(
                root,
                &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
            )
        },
    },
    Step {
        name: "clippy without the standard library",
        run: clippy_no_std,
    },
    Step {
        name: "documentation",
        run: documentation,
    },
    Step {
        name: "tests",
        run: |root| cargo(root, &["test", "--workspace"]),
    },
    Step {
        name: "tests by the portable kernel",
        run: test_portable,
    },
    Step {
        name: "tests without the standard library",
        run: test_no_std,
    },
    Step {
        name: "model of the concurrent filter",
        run: loom::check,
    },
    Step {
        name: "freestanding program",
        run: freestanding::check,
    },
    Step {
        name: "report in a browser",
        run: browser,
    },
    Step {
        name: "published figures and committed run",
        run: reproduce,
    },
    Step {
        name: "installed program",
        run: installed::check,
    },
    Step {
        name: "storage engines",
        run: engines::check,
    },
];

/// Runs all steps, and stops at the first that fails.
pub(crate) fn run() -> Result<(), Failure> {
    let root = workspace::root();
    let mut passed = 0;
    let mut failed = None;
    for step in &STEPS {
        writeln!(io::stdout(), "\n==> {}", step.name)?;
        match (step.run)(&root) {
            Ok(()) => passed += 1,
            Err(error) => {
                failed = Some((step.name, error));
                break;
            }
        }
    }
    let mut out = io::stdout().lock();
    if let Some((name, error)) = &failed {
        writeln!(out, "\nfailed: {name}: {error}")?;
        for step in &STEPS[passed + 1..] {
            writeln!(out, "not run: {}", step.name)?;
        }
    }
    writeln!(out, "\n{passed} passed, {} failed", usize::from(failed.is_some()))?;
    match failed {
        None => Ok(()),
        Some(_) => Err(Failure::Checked),
    }
}

/// Runs these cases of the fuzz targets.
pub(crate) fn fuzz(root: &Path, first: u64, cases: u64) -> Result<(), String> {
    let arguments = [
        "test",
        "--release",
        "--package",
        "filter-policy",
        "--features",
        "snappy,xxhash",
        "--test",
        "fuzz",
    ];
    let mut command = cargo_command(root, &arguments);
    command
        .env("FILTER_POLICY_FUZZ_FIRST", first.to_string())
        .env("FILTER_POLICY_FUZZ_CASES", cases.to_string())
        .env("CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS", "true");
    run_command(&mut command)
}

fn tidy_step(root: &Path) -> Result<(), String> {
    let offences = tidy::check(root)?;
    if offences.is_empty() {
        return Ok(());
    }
    let listed: Vec<String> = offences.iter().map(ToString::to_string).collect();
    Err(format!("\n{}", listed.join("\n")))
}

fn clippy_no_std(root: &Path) -> Result<(), String> {
    for (package, features) in NO_STD {
        let arguments = [
            &["clippy", "--package", package],
            features,
            &["--", "-D", "warnings"],
        ]
        .concat();
        cargo(root, &arguments)?;
    }
    Ok(())
}

fn test_no_std(root: &Path) -> Result<(), String> {
    for (package, features) in NO_STD {
        cargo(root, &[&["test", "--package", package], features].concat())?;
    }
    Ok(())
}

/// With the kernel that processors without AVX2 have; elsewhere the tests run by the best there is.
fn test_portable(root: &Path) -> Result<(), String> {
    // A folder of its own, because other flags would have everything built again.
    let target = root.join("target").join("portable");
    let mut command = cargo_command(root, &["test", "--package", "filter-policy"]);
    command
        .env("RUSTFLAGS", "--cfg filter_policy_kernel=\"scalar\"")
        .env("CARGO_TARGET_DIR", target);
    run_command(&mut command)
}

fn documentation(root: &Path) -> Result<(), String> {
    let document = |arguments: &[&str]| {
        let mut command = cargo_command(root, &[&["doc", "--no-deps"], arguments].concat());
        command.env("RUSTDOCFLAGS", "-D warnings");
        run_command(&mut command)
    };
    for (package, features) in NO_STD {
        document(&[&["--package", package], features].concat())?;
    }
    // Last, as it leaves the pages of all features behind.
    document(&["--workspace"])
}

/// Compares everything deterministic with the committed run and the published figures.
fn reproduce(root: &Path) -> Result<(), String> {
    cargo(
        root,
        &[
            "run",
            "--release",
            "--package",
            "hash-comparison",
            "--",
            "reproduce",
        ],
    )
}

/// Lints and runs the tests that need Chromium.
fn browser(root: &Path) -> Result<(), String> {
    let package = [
        "--package",
        "hash-comparison",
        "--features",
        "browser",
        "--test",
        "report",
    ];
    cargo(
        root,
        &[&["clippy"], &package[..], &["--", "-D", "warnings"]].concat(),
    )?;
    cargo(root, &[&["test"], &package[..], &["browser::"]].concat())
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<(), String> {
    run_command(&mut cargo_command(root, arguments))
}

/// The cargo that runs this program, in the workspace.
pub(crate) fn cargo_command(root: &Path, arguments: &[&str]) -> Command {
    let mut command = cargo_here(arguments);
    command.current_dir(root);
    command
}

/// The cargo that runs this program, in the current folder.
pub(crate) fn cargo_here(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    // What cargo told this program about its own package is not true of what it starts.
    for (name, _) in std::env::vars_os() {
        if is_about_this_package(&name) {
            command.env_remove(name);
        }
    }
    command
}

fn is_about_this_package(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_BIN_")
}

/// Runs to the end; output goes where this program's goes.
pub(crate) fn run_command(command: &mut Command) -> Result<(), String> {
    let shown = shown(command);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{shown}: {status}")),
        Err(error) => Err(format!("{shown}: {error}")),
    }
}

/// Runs to the end and gives standard output.
pub(crate) fn output_of(command: &mut Command) -> Result<Vec<u8>, String> {
    let shown = shown(command);
    let output = command
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| format!("{shown}: {error}"))?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(format!("{shown}: {}", output.status))
    }
}

fn shown(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let name = program
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    command.get_args().fold(name, |text, argument| {
        format!("{text} {}", argument.to_string_lossy())
    })
}
