//! A test runs the program in a temporary folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use super::program;

/// The exit code and output of a command.
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// Checks that the program ended by itself and did not panic.
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert!(!stderr.contains("panicked"), "{stderr}");
        let code = output.status.code().expect("ended by itself");
        Self { code, stdout, stderr }
    }
}

/// A temporary folder in which the program runs.
pub(crate) struct Workbench {
    pub(crate) folder: TempDir,
}

impl Workbench {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Returns the command with these arguments, of which those with spaces, and empty ones, are in single quotes.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(program());
        for (index, part) in arguments.split('\'').enumerate() {
            match index % 2 {
                0 => command.args(part.split_whitespace()),
                _ => command.arg(part),
            };
        }
        command
            .current_dir(&self.folder)
            .env("COLUMNS", "100")
            .env_remove("RUST_BACKTRACE")
            .env_remove("HASH_COMPARISON_WORKSPACE")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Outcome {
        Outcome::of(self.command(arguments).output().unwrap())
    }

    /// Returns every file below the folder with its bytes, sorted.
    pub(crate) fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        files(self.folder.path())
    }
}

pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.push((path.clone(), Vec::new()));
            all.extend(files(&path));
        } else {
            // Nobody writes to a pipe.
            let bytes = path.is_file().then(|| fs::read(&path).unwrap_or_default());
            all.push((path, bytes.unwrap_or_default()));
        }
    }
    all.sort();
    all
}
