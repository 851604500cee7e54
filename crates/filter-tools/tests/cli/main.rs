//! Tests the program `filters` on its command line.
#![expect(clippy::unwrap_used, reason = "what cannot be had fails the test")]

mod build;
mod inspect;
mod inspect_parquet;
mod inspect_rocksdb;
mod inspect_streams;
#[cfg(unix)]
mod limits;
mod size;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The exit code and output of a command.
struct Outcome {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Outcome {
    /// Checks that the program ended by itself and did not panic.
    fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert!(!stderr.contains("panicked"), "{stderr}");
        let code = output.status.code().expect("ended by itself");
        Self { code, stdout, stderr }
    }
}

/// A temporary folder in which the program runs.
struct Workbench {
    folder: TempDir,
}

impl Workbench {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns the command with these arguments, of which those with spaces are in single quotes.
    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_filters"));
        for (index, part) in arguments.split('\'').enumerate() {
            match index % 2 {
                0 => command.args(part.split_whitespace()),
                _ => command.arg(part),
            };
        }
        command
            .current_dir(&self.folder)
            .env("COLUMNS", "100")
            .env_remove("RUST_BACKTRACE");
        command
    }

    fn run(&self, arguments: &str) -> Outcome {
        Outcome::of(self.command(arguments).output().unwrap())
    }

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

    /// Runs the program with these words, which must end well and say nothing on standard error. Returns its output.
    fn done(&self, arguments: &str) -> String {
        self.ended(0, arguments)
    }

    /// Runs the program with these words, which must end with this code and say nothing on standard error. Returns its output.
    fn ended(&self, expected: i32, arguments: &str) -> String {
        let Outcome { code, stdout, stderr } = self.run(arguments);
        assert_eq!((code, stderr.as_str()), (expected, ""), "{arguments}");
        stdout
    }

    /// As [`Workbench::ended`], for a command that writes JSON.
    fn json(&self, expected: i32, arguments: &str) -> Value {
        serde_json::from_str(&self.ended(expected, arguments)).unwrap()
    }

    /// Checks the lines of a table, `WORDS => TEXT | TEXT`: with these words the program ends with code 2 and a message that
    /// has the texts, prints nothing else and changes no file.
    fn refuses(&self, table: &str) {
        self.refuses_fed(2, "", table);
    }

    /// Checks the lines of a table as [`Workbench::refuses`] does, for another code and with this text on standard input.
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

    /// Returns every file below the folder with its bytes, sorted.
    fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        files(self.folder.path())
    }
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.push((path.clone(), Vec::new()));
            all.extend(files(&path));
        } else {
            all.push((path.clone(), fs::read(&path).unwrap_or_default()));
        }
    }
    all.sort();
    all
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
