//! The program that people install, run where no clone is.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::cargo::{cargo_command, run_command, words};

/// Installs it into a folder that is gone afterwards, and compares keys from there.
pub(super) fn check(root: &Path) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| format!("temporary folder: {error}"))?;
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    // As the tests are built: the programs are there already, and what is left to be tried is that they install.
    let mut arguments =
        words("install --locked --debug --path crates/hash-comparison --target-dir target --no-track");
    let installed = path("installed");
    arguments.extend(["--root", &installed]);
    run_command(&mut cargo_command(root, &arguments))?;

    let elsewhere = folder.path().join("elsewhere");
    let said = |error: std::io::Error| format!("temporary folder: {error}");
    fs::create_dir(&elsewhere).map_err(said)?;
    fs::write(elsewhere.join("keys.txt"), "one\ntwo\nthree\n").map_err(said)?;
    let mut program = Command::new(path("installed/bin/hash-comparison"));
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
