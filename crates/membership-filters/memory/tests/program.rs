//! The program on few keys.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::process::{Command, Output};

fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_membership-filters-memory"))
        .args(arguments)
        .output()
        .unwrap()
}

/// A line of the records.
struct Line {
    structure: String,
    rate: Option<f64>,
    reported: Option<u64>,
    allocated: u64,
    peak: u64,
    false_positives: u64,
}

fn lines(text: &str) -> Vec<Line> {
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("structure,asked_rate,keys,reported_bytes,allocated_bytes,peak_bytes,absent,false_positives")
    );
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            assert_eq!(
                (fields.len(), fields[2], fields[6]),
                (8, "20000", "100000"),
                "{line}"
            );
            Line {
                structure: fields[0].to_owned(),
                rate: fields[1].parse().ok(),
                reported: fields[3].parse().ok(),
                allocated: fields[4].parse().unwrap(),
                peak: fields[5].parse().unwrap(),
                false_positives: fields[7].parse().unwrap(),
            }
        })
        .collect()
}

#[test]
fn every_structure_is_measured_at_every_rate() {
    let folder = tempfile::tempdir().unwrap();
    let measure = || {
        let csv = folder.path().join("memory.csv");
        let path = csv.to_str().unwrap();
        let output = program(&["--csv", path, "--keys", "20000", "--absent", "100000"]);
        assert!(output.status.success(), "{output:?}");
        fs::read_to_string(csv).unwrap()
    };
    let text = measure();
    let lines = lines(&text);
    assert_eq!(lines.len(), 5 * 5 + 2);
    for line in &lines {
        let name = &line.structure;
        assert!(line.peak >= line.allocated, "{name}");
        match line.rate {
            Some(rate) => {
                // What it says it takes is what it takes, but for some words about it.
                let reported = line.reported.unwrap();
                assert!(
                    (reported..reported + 1024).contains(&line.allocated),
                    "{name} {rate}"
                );
                // Seven standard deviations of independent trials above what was asked for.
                let allowed = 100_000.0 * rate;
                assert!(
                    (line.false_positives as f64) < allowed + 7.0 * allowed.sqrt() + 1.0,
                    "{name} {rate}: {}",
                    line.false_positives
                );
            }
            None => {
                assert_eq!((line.reported, line.false_positives), (None, 0), "{name}");
                // A number and a byte of the table at least, and two tables while it grows.
                assert!(line.allocated > 9 * 20_000, "{name}");
                assert!(line.peak > line.allocated, "{name}");
            }
        }
    }
    let bytes = |structure: &str| -> Vec<(u64, u64)> {
        let of = lines.iter().filter(|line| line.structure == structure);
        of.map(|line| (line.allocated, line.false_positives)).collect()
    };
    assert_eq!(bytes("bloom"), bytes("concurrent-bloom"));
    assert_eq!(bytes("bloom").len(), 5);
    assert_eq!(measure(), text, "the same in each run");
}

#[test]
fn wrong_arguments_are_named() {
    for (arguments, says) in [
        (&[][..], "--csv"),
        (&["--csv", "x", "--keys", "0"], "--keys"),
        (&["--csv", "no/such/folder/x"], "error: no/such/folder/x: "),
    ] {
        let output = program(arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(says), "{stderr}");
    }
}
