//! Commands of other programs of the workspace, which cargo builds and runs.

use std::ffi::OsString;

use crate::failure::Failure;
use crate::{cargo, workspace};

/// The program's own arguments, passed on as they are.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Arguments {
    /// See `cargo xtask COMMAND --help`
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

/// A program, named by its package.
pub(crate) struct Program(&'static str);

/// `hash-comparison`.
pub(crate) const COMPARISON: Program = Program("hash-comparison");
/// `filters`.
pub(crate) const FILTERS: Program = Program("filter-tools");
/// The benchmarks.
pub(crate) const BENCHMARKS: Program = Program("bench");

impl Program {
    /// Builds the program and runs it, in place of this process if the system allows that, so that signals and exit
    /// codes are the program's. Cargo says what it builds, which takes a minute from nothing.
    ///
    /// The current folder does not change, so relative paths in the arguments stay valid.
    pub(crate) fn run(&self, command: &str, arguments: &Arguments) -> Result<(), Failure> {
        let root = workspace::root();
        let mut cargo = cargo::cargo_here();
        cargo
            .args(["run", "--release", "--locked", "--manifest-path"])
            .arg(root.join("Cargo.toml"))
            .args(["--package", self.0, "--", command])
            .args(&arguments.rest)
            .env(workspace::VARIABLE, &root);
        become_it(cargo)
    }
}

#[cfg(unix)]
fn become_it(mut cargo: std::process::Command) -> Result<(), Failure> {
    use std::os::unix::process::CommandExt as _;
    Err(Failure::internal(format!("cargo: {}", cargo.exec())))
}

#[cfg(not(unix))]
fn become_it(mut cargo: std::process::Command) -> Result<(), Failure> {
    let status = cargo
        .status()
        .map_err(|error| Failure::internal(format!("cargo: {error}")))?;
    std::process::exit(status.code().unwrap_or(1));
}
