//! Ctrl-C and SIGTERM leave nothing behind, also during calls of a shared library.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Lines, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use tempfile::TempDir;

use super::fixtures::{files, reports};

/// Starts the program in a folder, with errors on a terminal, where it shows its phases.
fn started(folder: &TempDir, arguments: &[&str]) -> (Child, BufReader<File>) {
    let errors = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&errors).unwrap();
    unlockpt(&errors).unwrap();
    let terminal = ptsname(&errors, Vec::new()).unwrap();
    let terminal = File::options()
        .read(true)
        .write(true)
        .open(OsStr::from_bytes(terminal.as_bytes()))
        .unwrap();
    let mut command = Command::new(super::PROGRAM);
    command.args(arguments).current_dir(folder).env("TERM", "dumb");
    let child = command.stdin(Stdio::null()).stdout(Stdio::null());
    let child = child.stderr(terminal).spawn().unwrap();
    (child, BufReader::new(errors.into()))
}

/// Sends a signal to a process.
fn send(child: &Child, signal: &str) {
    let command = format!("kill -{signal} {}", child.id());
    let status = Command::new("sh").args(["-c", &command]).status().unwrap();
    assert!(status.success());
}

/// Reads lines until one starts with `start`, and returns it.
fn awaited(lines: &mut Lines<BufReader<File>>, start: &str) -> String {
    let mut lines = lines.map(Result::unwrap);
    let line = lines.find(|line| line.starts_with(start));
    line.unwrap_or_else(|| panic!("no line started with {start}"))
}

/// Checks that a comparison that gets `signal` after a line with this start ends, and leaves the folder as it was.
fn stops(folder: &TempDir, arguments: &str, line: &str, signal: &str) {
    let before = files(folder.path());
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let (mut child, errors) = started(folder, &arguments);
    let mut lines = errors.lines();
    awaited(&mut lines, line);
    send(&child, signal);
    // A terminal that nobody has ends with an error.
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(!rest.iter().any(|line| line.contains("panicked")), "{rest:?}");
    assert_eq!(
        child.wait().unwrap().code(),
        Some(130),
        "{line} {signal}: {rest:?}"
    );
    assert!(files(folder.path()) == before, "{line} {signal}");
}

#[test]
fn nothing_is_left_and_a_run_that_was_there_stays() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("out")).unwrap();
    for file in ["run.json", "timing.csv"] {
        let run = reports().join("reference");
        fs::copy(run.join(file), folder.path().join("out").join(file)).unwrap();
    }
    // A million keys take long enough for the signal to arrive first.
    for out in ["deep/out", "out"] {
        let arguments = format!("compare --dataset random-strings --out {out}");
        for (phase, signal) in [("timing", "INT"), ("reading keys", "TERM")] {
            stops(&folder, &arguments, phase, signal);
        }
    }
}

#[test]
fn a_long_key_is_no_reason_to_wait() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("keys.txt"), vec![b'x'; 20_000_000]).unwrap();
    // With fifty thousand calls per reading, this would hash a terabyte.
    stops(
        &folder,
        "compare --keys keys.txt --function PJW --out out",
        "timing",
        "INT",
    );
}

/// Functions that keep the program waiting.
const FUNCTIONS: &str = r#"#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
uint64_t slow(const char *data, size_t length) { usleep(100); return length; }
uint64_t surviving(const char *data, size_t length)
{
    fprintf(stderr, "in the trial\n"); sleep(4); fprintf(stderr, "alive\n"); return length;
}
uint64_t stuck(const char *data, size_t length)
{
    if (length == 5 && !memcmp(data, "stuck", 5)) for (;;) pause();
    return length;
}
"#;

/// Returns a folder with two keys and the library of these functions.
fn with_functions() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("keys.txt"), "one\nstuck\n").unwrap();
    fs::write(folder.path().join("functions.c"), FUNCTIONS).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-shared", "-fPIC", "-o", "libmine.so", "functions.c"]);
    assert!(compiler.current_dir(&folder).status().unwrap().success());
    folder
}

const OWN: &str = "compare --quick --keys keys.txt --function XXH3 --out out --own libmine.so:";

#[test]
fn a_slow_function_is_reported_and_stopped() {
    let folder = with_functions();
    // Before the run, and in a loop of forty thousand calls.
    for (line, signal) in [
        ("--own libmine.so:slow:64: a call takes ", "INT"),
        ("timing", "TERM"),
    ] {
        stops(&folder, &format!("{OWN}slow:64"), line, signal);
    }
}

#[test]
fn no_trial_outlives_its_run() {
    let folder = with_functions();
    let command = format!("{OWN}surviving:64");
    let arguments: Vec<&str> = command.split(' ').collect();
    let (mut child, mut errors) = started(&folder, &arguments);
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    assert_eq!(line, "in the trial\r\n");
    send(&child, "INT");
    // The trial has the same standard error, which ends with it.
    let mut rest = String::new();
    let _ = errors.read_to_string(&mut rest);
    assert!(!rest.contains("alive"), "{rest}");
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
}

#[test]
fn a_second_signal_ends_a_run_whose_call_does_not_return() {
    let folder = with_functions();
    let command = format!("{OWN}stuck:64");
    let arguments: Vec<&str> = command.split(' ').collect();
    let (mut child, errors) = started(&folder, &arguments);
    awaited(&mut errors.lines(), "timing");
    thread::sleep(Duration::from_millis(500));
    send(&child, "INT");
    thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none(), "a call cannot be ended");
    send(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
