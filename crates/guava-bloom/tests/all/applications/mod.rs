//! The examples that are applications, run as programs.

mod guava_file;

use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::process::{Command, Output};

/// Returns a command for an example, which cargo builds next to the folder of the tests.
fn application(name: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    Command::new(folder.join("examples").join(name))
}

/// Runs a command to its end with this standard input, of which it may read only a part.
fn run(command: &mut Command, input: &[u8]) -> Output {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(input).unwrap();
    file.rewind().unwrap();
    let built = "an example, which `cargo test` builds if no test program is named";
    command.stdin(file).output().expect(built)
}

/// Checks exit code, standard output and standard error.
#[track_caller]
fn check(output: &Output, code: i32, stdout: &str, stderr: &str) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        (output.status.code(), text(&output.stdout), text(&output.stderr)),
        (Some(code), stdout.to_owned(), stderr.to_owned())
    );
}

/// Returns the message of a run that must fail with code 2 and without output.
#[track_caller]
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}
