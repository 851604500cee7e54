//! The examples that are applications, run as programs.

#[cfg(feature = "slot")]
mod malicious_urls;
mod url_dedup;

use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use super::support::example;

const EXAMPLES: [&str; 2] = ["malicious_urls", "url_dedup"];

/// Returns a command for an example, built from the current source.
fn application(name: &str) -> Command {
    static PROGRAMS: [OnceLock<PathBuf>; EXAMPLES.len()] = [const { OnceLock::new() }; EXAMPLES.len()];
    let place = EXAMPLES.iter().position(|example| *example == name).unwrap();
    Command::new(PROGRAMS[place].get_or_init(|| example::program(name)))
}

/// Runs a command to its end with this standard input.
fn run(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    match child.stdin.take().unwrap().write_all(input) {
        // The program may refuse its arguments without reading.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        written => written.unwrap(),
    }
    child.wait_with_output().unwrap()
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
