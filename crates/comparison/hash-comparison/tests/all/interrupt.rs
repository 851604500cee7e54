//! Ctrl-C and SIGTERM leave nothing behind.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use super::Workbench;

/// Sends a signal to a process.
pub(super) fn send(child: &Child, signal: &str) {
    let command = format!("kill -{signal} {}", child.id());
    let status = Command::new("sh").args(["-c", &command]).status().unwrap();
    assert!(status.success());
}

/// Starts a comparison, sends it `signal` when `phase` begins, and returns its exit code.
pub(super) fn signalled(bench: &Workbench, arguments: &str, phase: &str, signal: &str) -> Option<i32> {
    let mut child = bench
        .command(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let begun = lines
        .by_ref()
        .map(Result::unwrap)
        .any(|line| line.starts_with(phase));
    assert!(begun, "{phase} did not begin");
    send(&child, signal);
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(!rest.iter().any(|line| line.contains("panicked")), "{rest:?}");
    child.wait().unwrap().code()
}

#[test]
fn nothing_is_left_and_a_run_that_was_there_stays() {
    // A million keys take long enough for the signal to arrive first.
    let arguments = "compare --dataset random-strings --out";
    for (bench, out) in [(Workbench::new(), "deep/out"), (Workbench::with_run(), "out")] {
        let before = bench.snapshot();
        for phase in ["timing", "reading keys"] {
            for signal in ["INT", "TERM"] {
                let code = signalled(&bench, &format!("{arguments} {out}"), phase, signal);
                assert_eq!(code, Some(130), "{phase} {signal}");
                assert!(bench.snapshot() == before, "{phase} {signal}");
            }
        }
    }
}

#[test]
fn a_long_key_is_no_reason_to_wait() {
    let bench = Workbench::new();
    bench.write("keys.txt", vec![b'x'; 20_000_000]);
    let before = bench.snapshot();
    let arguments = "compare --keys keys.txt --function PJW --out out";
    // With fifty thousand calls per reading, this would hash a terabyte.
    assert_eq!(signalled(&bench, arguments, "timing", "INT"), Some(130));
    assert!(bench.snapshot() == before);
}
