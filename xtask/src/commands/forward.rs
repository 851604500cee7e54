//! Commands of other programs of the workspace, which cargo builds and runs.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use crate::{cargo, workspace};

/// The program's own arguments, passed on as they are.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Arguments {
    /// See `cargo xtask COMMAND --help`
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

/// The feature of the comparison for functions that are measured only by name or with all others.
const FURTHER: &str = "further-functions";

/// Builds with the functions that the arguments of `compare` name.
fn add_functions(
    cargo: &mut Command,
    root: &Path,
    package: &str,
    arguments: &[OsString],
) -> Result<(), String> {
    let letters = |text: &str| {
        text.replace(|c: char| !c.is_ascii_alphanumeric(), "")
            .to_ascii_lowercase()
    };
    let value =
        |argument: &OsString| letters(argument.to_string_lossy().rsplit('=').next().unwrap_or_default());
    let arguments: Vec<String> = arguments.iter().map(value).collect();
    let has_start = |start: &str| arguments.iter().any(|argument| argument.starts_with(start));
    let is_all = arguments
        .iter()
        .any(|argument| ["all", "further"].contains(&argument.as_str()));
    // The names of a function begin with that of its crate.
    let metadata = cargo::metadata(root)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let crates = packages
        .filter(|one| one["name"] == package)
        .flat_map(|one| one["features"][FURTHER].as_array().into_iter().flatten())
        .filter_map(|one| one.as_str()?.strip_prefix("dep:"));
    if is_all || crates.map(letters).any(|one| has_start(&one)) {
        cargo.args(["--features", FURTHER]);
    }
    // This function is not compiled without these instructions.
    let native = "--print cfg -C target-cpu=native";
    if (is_all || has_start("gxhash"))
        && cargo::output_of(Command::new("rustc").args(cargo::words(native)))?
            .windows(5)
            .any(|text| text == b"\"aes\"")
    {
        let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
        cargo.env("RUSTFLAGS", flags + " -C target-feature=+aes");
    }
    Ok(())
}

/// Builds the program of a package and runs it with this command, in place of this process, so that signals and exit
/// codes are the program's. Cargo says what it builds, which takes a minute from nothing.
///
/// The current folder does not change, so relative paths in the arguments stay valid.
pub(crate) fn run(package: &str, command: &str, arguments: &Arguments) -> Result<(), String> {
    let root = workspace::root();
    let mut cargo = cargo::cargo_here();
    cargo
        .args(["run", "--release", "--locked", "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .args(["--package", package]);
    if command == "compare" {
        add_functions(&mut cargo, &root, package, &arguments.rest)?;
    }
    cargo
        .args(["--", command])
        .args(&arguments.rest)
        .env(workspace::VARIABLE, &root);
    Err(format!("cargo: {}", cargo.exec()))
}
