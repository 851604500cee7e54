//! The examples as processes.

mod read_through;
mod set;

use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Cargo builds examples beside the folder of the tests.
fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    folder.join("examples").join(name)
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap()
}

/// Runs an example on this input, of which it may read only a part.
fn run(name: &str, arguments: &[&str], input: &[u8]) -> Output {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(input).unwrap();
    file.rewind().unwrap();
    let mut command = Command::new(program(name));
    let built = "an example, which `cargo test` builds if no test program is named";
    command.args(arguments).stdin(file).output().expect(built)
}

/// Returns the output of a run that must succeed.
#[track_caller]
fn printed(name: &str, arguments: &[&str], input: &[u8]) -> String {
    let output = run(name, arguments, input);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// Returns the exit code and the message of a run that must fail and answer nothing.
#[track_caller]
fn refused(name: &str, arguments: &[&str], input: &[u8]) -> (i32, String) {
    let output = run(name, arguments, input);
    assert_eq!(text(&output.stdout), "", "{arguments:?}");
    (output.status.code().unwrap(), text(&output.stderr).to_owned())
}
