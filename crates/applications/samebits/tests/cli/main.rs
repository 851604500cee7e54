//! Tests the program `samebits` on its command line. Most tests are the sessions of `tests/sessions`.
#![expect(clippy::unwrap_used, reason = "what cannot be had fails the test")]

mod fixtures;
mod laws;
#[cfg(unix)]
mod limits;
#[cfg(unix)]
mod processes;
mod session;
#[path = "../../../../filters/filter-tables/tests/support/mod.rs"]
mod stored;
mod workbench;

use std::env;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use crate::stored::golden;
use serde_json::Value;

use workbench::{Outcome, Workbench};

/// The path of the program, or of another form of it, which this variable names.
fn program() -> PathBuf {
    let other = env::var_os("SAMEBITS_PROGRAM").map(PathBuf::from);
    other.unwrap_or_else(|| env!("CARGO_BIN_EXE_samebits").into())
}

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
    fn fed(&self, arguments: &str, input: &str) -> Outcome {
        let mut child = self.start(arguments);
        child.stdin.take().unwrap().write_all(input.as_ref()).unwrap();
        Outcome::of(child.wait_with_output().unwrap())
    }

    /// Runs the program, which must succeed and print nothing to standard error. Returns its output.
    fn done(&self, arguments: &str) -> String {
        let Outcome { code, stdout, stderr } = self.run(arguments);
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments}");
        stdout
    }

    fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.done(arguments)).unwrap()
    }
}

/// Repeats a session, with the files that this function writes.
fn repeat(name: &str, fixtures: fn(&Workbench)) {
    let bench = Workbench::new();
    fixtures(&bench);
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/sessions")
        .join(name);
    let data = [("DATA", golden::path(""))];
    session::repeat(&file, bench.folder.path(), &program(), &data);
}

#[test]
fn help() {
    repeat("help.md", |_| ());
}

#[test]
fn build() {
    repeat("build.md", |_| ());
}

#[test]
fn query() {
    repeat("query.md", fixtures::filters);
}

#[test]
fn tables() {
    repeat("tables.md", fixtures::tables);
}

#[test]
fn inspect() {
    repeat("inspect.md", fixtures::inspected);
}

#[test]
fn parquet() {
    repeat("parquet.md", fixtures::zeros);
}

#[test]
fn parquet_files() {
    repeat("parquet_files.md", |_| ());
}

#[test]
fn size() {
    repeat("size.md", |_| ());
}
