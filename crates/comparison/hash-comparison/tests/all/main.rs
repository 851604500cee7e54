//! Tests of whole runs, of the command line as users see it, and of the library. All tests share one program, so that nothing
//! is compiled or linked twice.
#![expect(clippy::unwrap_used, reason = "what cannot be had fails the test")]

mod advice;
mod calibration;
mod clock;
mod committed;
mod custom_function;
mod damaged;
mod fixtures;
mod functions;
mod help;
mod interrupt;
mod join;
mod keys;
mod mistakes;
mod output;
mod own;
mod page;
mod published_counts;
mod questions;
mod quick_run;
mod recommendation;
mod render;
mod run;
mod whole_run;
mod workbench;

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

use workbench::{Outcome, Workbench};

const PROGRAM: &str = env!("CARGO_BIN_EXE_hash-comparison");
/// The environment variable that makes the program call itself `cargo xtask`.
const WORKSPACE: &str = "HASH_COMPARISON_WORKSPACE";

impl Workbench {
    /// Returns a folder with `keys.txt` and its run in `out`, shared by all tests that only read it.
    fn made() -> &'static (Self, Outcome) {
        static MADE: LazyLock<(Workbench, Outcome)> = LazyLock::new(|| {
            let bench = Workbench::new();
            // Repeated names count once, in any letter case.
            let outcome = bench.compare("--function xxh3 --function CRC32 --out out");
            (bench, outcome)
        });
        &MADE
    }

    /// Builds a folder with a copy of [`Workbench::made`].
    fn with_run() -> Self {
        let (made, _) = Self::made();
        let bench = Self::new();
        for (path, bytes) in made.snapshot() {
            if path.is_file() {
                let name = path.strip_prefix(&made.folder).unwrap();
                bench.write(name.to_str().unwrap(), bytes);
            }
        }
        bench
    }

    /// Runs a quick comparison of two functions on `keys.txt`, which must succeed.
    fn compare(&self, more: &str) -> Outcome {
        if !self.path("keys.txt").exists() {
            self.write("keys.txt", "one\ntwo\nthree\nfour\n");
        }
        let fixed = "compare --quick --keys keys.txt --function XXH3 --function CRC-32";
        let outcome = self.run(&format!("{fixed} {more}"));
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        outcome
    }

    /// Checks the lines of a table, `WORDS => TEXT | TEXT`: the command, with the words in place of `{}`, fails with a message that
    /// contains the texts, and no file changes. In the texts, `$` is the end of a line.
    fn refuses(&self, command: &str, table: &str) {
        let before = self.snapshot();
        for line in table.trim().lines() {
            let (words, texts) = line.trim().split_once(" => ").unwrap();
            let outcome = self.run(&command.replace("{}", words));
            let said = outcome.stderr.replace('\n', "$");
            assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{line}: {said}");
            // Arguments and files are checked before anything starts, so the message is the only output.
            assert!(
                said.starts_with("error: ") && said.matches("error: ").count() == 1,
                "{line}: {said}"
            );
            for text in texts.split(" | ") {
                assert!(said.contains(text), "{line}: {text:?} is not in: {said}");
            }
            assert!(self.snapshot() == before, "{line} changed a file");
        }
    }
}

/// Inserts the correct checksum into the text of a `run.json`, as a forger would.
fn sealed(text: &str) -> String {
    let start = "\"run.json\": \"";
    let at = text.find(start).unwrap() + start.len();
    let with = |sum: &str| format!("{}{sum}{}", &text[..at], &text[at + 64..]);
    let sum = Sha256::digest(with(&"0".repeat(64)));
    with(&sum.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}
