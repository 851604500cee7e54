//! Runs the comparison's program outside the repository, as an installed program.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::cargo::run_command;

/// Compares keys in a temporary folder with a copy of the program.
pub(super) fn check(program: &Path) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| format!("temporary folder: {error}"))?;
    let elsewhere = folder.path().join("elsewhere");
    let said = |error: std::io::Error| format!("temporary folder: {error}");
    fs::create_dir(&elsewhere).map_err(said)?;
    let copy = folder.path().join("hash-comparison");
    fs::copy(program, &copy).map_err(said)?;
    fs::write(elsewhere.join("keys.txt"), "one\ntwo\nthree\n").map_err(said)?;
    let mut program = Command::new(copy);
    program
        .args(["compare", "--quick", "--keys", "keys.txt"])
        .current_dir(&elsewhere)
        .stdout(Stdio::null());
    run_command(&mut program)?;
    let page = elsewhere.join("hash-comparison-report").join("index.html");
    if page.is_file() {
        Ok(())
    } else {
        Err(format!("{}: was not written", page.display()))
    }
}
