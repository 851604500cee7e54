//! Runs cargo and other programs.

use std::ffi::OsStr;
use std::fmt::Display;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// Java in tests runs for seconds: without its optimising compiler it takes half the processor time.
pub(crate) const JAVA: (&str, &str) = ("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");

/// Returns a command of the cargo that runs this program, in the current folder.
pub(crate) fn cargo_here() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Cargo's variables about this package would be wrong for the programs that it starts.
    for (name, _) in std::env::vars_os() {
        let starts = |start: &&str| name.to_string_lossy().starts_with(start);
        if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"].iter().any(starts) {
            command.env_remove(&name);
        }
    }
    command
}

/// Splits arguments, none of which contains white space.
pub(crate) fn words(arguments: &str) -> Vec<&str> {
    arguments.split_whitespace().collect()
}

/// Returns a command of the cargo that runs this program, in the workspace.
pub(crate) fn cargo_command(root: &Path, arguments: &[&str]) -> Command {
    let mut command = cargo_here();
    command.args(arguments).current_dir(root);
    command
}

pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Result<(), String> {
    run_command(&mut cargo_command(root, arguments))
}

/// Runs a command to its end. Its output goes to this program's output.
pub(crate) fn run_command(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| failed(shown(command), error))?;
    succeeded(command, status)
}

/// Runs a command to its end, and returns its standard output.
pub(crate) fn output_of(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| failed(shown(command), error))?;
    succeeded(command, output.status).map(|()| output.stdout)
}

/// Returns cargo's metadata of the workspace's packages.
pub(crate) fn metadata(root: &Path) -> Result<serde_json::Value, String> {
    let command = words("metadata --no-deps --format-version 1");
    let output = output_of(&mut cargo_command(root, &command))?;
    serde_json::from_slice(&output).map_err(|error| failed("cargo metadata", error))
}

fn succeeded(command: &Command, status: ExitStatus) -> Result<(), String> {
    let failed = || failed(shown(command), status);
    status.success().then_some(()).ok_or_else(failed)
}

/// Formats the command line, with the program's name instead of its path.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = [program].into_iter().chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    words.join(" ")
}

/// Returns the failure of a command, a file or a check, with the reason.
pub(crate) fn failed(what: impl Display, reason: impl Display) -> String {
    format!("{what}: {reason}")
}
