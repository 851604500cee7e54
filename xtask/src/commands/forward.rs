//! Commands of other programs of the workspace, which cargo builds and runs.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;

use crate::{Failure, cargo, workspace};

/// The arguments of the other program, passed on unchanged.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Arguments {
    /// See `cargo xtask COMMAND --help`
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

/// Builds the program of a package and runs it with this command, in place of this process, so that signals and exit
/// codes are the program's. Cargo reports what it builds; the first build takes a minute.
///
/// The current folder does not change, so relative paths in the arguments stay valid.
pub(crate) fn run(package: &str, command: &str, arguments: &Arguments) -> Result<(), Failure> {
    let root = workspace::root();
    let mut cargo = cargo::cargo_here();
    cargo
        .args(["run", "--release", "--locked", "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .args(["--package", package, "--", command])
        .args(&arguments.rest)
        .env(workspace::VARIABLE, &root);
    Err(cargo::failed("cargo", cargo.exec()))
}
