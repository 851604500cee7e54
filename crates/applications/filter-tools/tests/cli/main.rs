//! Tests the program `filters` on its command line.
#![expect(clippy::unwrap_used, reason = "what cannot be had fails the test")]

mod build;
mod databases;
mod inspect;
mod inspect_parquet;
mod inspect_rocksdb;
mod inspect_streams;
#[cfg(unix)]
mod limits;
mod query;
mod size;
#[path = "../../../../filters/filter-tables/tests/support/mod.rs"]
mod stored;
mod workbench;

use std::io::Write as _;
use std::process::{Child, Stdio};

use serde_json::Value;

use workbench::{Outcome, Workbench};

const PROGRAM: &str = env!("CARGO_BIN_EXE_filters");

impl Workbench {
    fn start(&self, arguments: &str) -> Child {
        let mut command = self.command(arguments);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Runs the program with this text on standard input.
    fn fed(&self, arguments: &str, input: impl AsRef<[u8]>) -> Outcome {
        let mut child = self.start(arguments);
        // A program that refuses its arguments reads nothing.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        Outcome::of(child.wait_with_output().unwrap())
    }

    /// Runs the program with these words, which must succeed and print nothing to standard error. Returns its output.
    fn done(&self, arguments: &str) -> String {
        self.ended(0, arguments)
    }

    /// Runs the program with these words, which must end with this code and print nothing to standard error. Returns
    /// its output.
    fn ended(&self, expected: i32, arguments: &str) -> String {
        let Outcome { code, stdout, stderr } = self.run(arguments);
        assert_eq!((code, stderr.as_str()), (expected, ""), "{arguments}");
        stdout
    }

    /// Runs the program as [`Workbench::ended`] does, and parses its JSON.
    fn json(&self, expected: i32, arguments: &str) -> Value {
        serde_json::from_str(&self.ended(expected, arguments)).unwrap()
    }

    /// Checks the lines of a table, `WORDS => TEXT | TEXT`: with these words the program ends with code 2 and a message
    /// that has the texts, prints nothing else and changes no file.
    fn refuses(&self, table: &str) {
        self.refuses_fed(2, "", table);
    }

    /// Checks the lines of a table as [`Workbench::refuses`] does, for another code and with this text on standard
    /// input.
    fn refuses_fed(&self, expected: i32, input: impl AsRef<[u8]>, table: &str) {
        let before = self.snapshot();
        for line in table.trim().lines() {
            let (words, texts) = line.trim().split_once(" => ").unwrap();
            let Outcome { code, stdout, stderr } = self.fed(words, &input);
            assert_eq!((code, stdout.as_str()), (expected, ""), "{line}: {stderr}");
            assert!(
                texts.split(" | ").all(|text| stderr.contains(text)),
                "{line}: {stderr}"
            );
            assert!(before == self.snapshot(), "{line}");
        }
    }
}

#[test]
fn help_texts() {
    let bench = Workbench::new();
    for command in ["", "query", "build", "inspect", "merge", "size"] {
        for flag in ["-h", "--help"] {
            let arguments = format!("{command} {flag}");
            let name = format!("help {}", arguments.trim());
            insta::assert_snapshot!(name, bench.done(&arguments));
        }
    }
}
