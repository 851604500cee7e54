//! Instructions that policies take by their portable kernel: the record of an earlier state, and what became worse.
//!
//! Where times are noise, counts are not: they depend on the code and its compiler alone, but for what the C library
//! chooses by processor. So counts of one compiler are compared with those of the same compiler only.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::benchmark::{self, Bench, Folder, Format, Record};
use hash_comparison::record::folder::OutputError;
use hash_comparison::record::{Environment, significant};
use hash_comparison::record::files::RecordsError;

/// The records of this benchmark; there is no chart.
pub const FORMAT: Format = Format {
    name: "instruction-bench",
    schema: 1,
    rows: "instructions",
    chart: "",
};

/// By what share a count may be above the record's: what small changes elsewhere in a program do to inlining, and the C
/// library's functions on another processor. Rows of the commonest policies have 30 to 200 instructions a key.
pub const TOLERANCE: f64 = 0.03;

/// A row of `instructions.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Instructions {
    /// The compiler.
    pub rustc: String,
    /// Target triple.
    pub target: String,
    /// Who did the work.
    pub policy: String,
    /// How long keys are, in bytes.
    pub key_lengths: String,
    /// `build`, or which keys were asked for.
    pub task: String,
    /// Keys that were added or asked for.
    pub keys: u64,
    /// Instructions over keys.
    #[serde(with = "significant")]
    pub instructions_per_key: f64,
}

impl Record for Instructions {
    const HEADER: &'static [&'static str] = &[
        "rustc",
        "target",
        "policy",
        "key_lengths",
        "task",
        "keys",
        "instructions_per_key",
    ];

    fn fault(&self) -> Option<&'static str> {
        let count = self.instructions_per_key;
        (self.keys == 0 || !count.is_finite() || count <= 0.0)
            .then_some("keys are at least 1, and instructions_per_key is positive")
    }
}

impl Instructions {
    /// Which work it is, in words.
    pub fn named(&self) -> String {
        format!(
            "{}, {}, keys of {} bytes",
            self.policy, self.task, self.key_lengths
        )
    }

    fn is_of(&self, environment: &Environment) -> bool {
        (&self.rustc, &self.target) == (&environment.rustc, &environment.target)
    }

    fn is_same_work(&self, other: &Self) -> bool {
        (&self.policy, &self.key_lengths, &self.task, self.keys)
            == (&other.policy, &other.key_lengths, &other.task, other.keys)
    }
}

/// Reads an `instructions.csv`.
///
/// # Errors
///
/// When the file cannot be read or is malformed, with its line.
pub fn read_rows(path: &Path) -> Result<Vec<Instructions>, RecordsError> {
    benchmark::read(path)
}

/// The rows of a record that are of this compiler.
pub fn of_compiler(record: &[Instructions], environment: &Environment) -> Vec<Instructions> {
    let of_it = record.iter().filter(|row| row.is_of(environment));
    of_it.cloned().collect()
}

/// The measured rows, behind those that the record has of other compilers.
pub fn renewed(
    record: Vec<Instructions>,
    measured: &[Instructions],
    environment: &Environment,
) -> Vec<Instructions> {
    let others = record.into_iter().filter(|row| !row.is_of(environment));
    others.chain(measured.iter().cloned()).collect()
}

/// How what was measured stands to the record of the same compiler.
#[derive(Debug, Default, PartialEq)]
pub struct Comparison {
    /// A line for each row that needs more than the record's instructions and [`TOLERANCE`], or that the record or the
    /// measurement lacks.
    pub worse: Vec<String>,
    /// A line for each row that needs fewer, by more than that.
    pub better: Vec<String>,
}

/// Compares row by row.
pub fn compare(measured: &[Instructions], record: &[Instructions]) -> Comparison {
    let mut comparison = Comparison::default();
    for row in measured {
        let Some(before) = record.iter().find(|before| before.is_same_work(row)) else {
            let line = format!("{}: the record has no such row", row.named());
            comparison.worse.push(line);
            continue;
        };
        let (now, then) = (row.instructions_per_key, before.instructions_per_key);
        let line = || {
            let change = (now / then - 1.0) * 100.0;
            format!(
                "{}: {now:.2} instructions a key, {then:.2} in the record ({change:+.1} %)",
                row.named()
            )
        };
        if now > then * (1.0 + TOLERANCE) {
            comparison.worse.push(line());
        } else if now < then * (1.0 - TOLERANCE) {
            comparison.better.push(line());
        }
    }
    for row in record {
        if !measured.iter().any(|other| other.is_same_work(row)) {
            let line = format!("{}: is in the record, and was not measured", row.named());
            comparison.worse.push(line);
        }
    }
    comparison
}

/// Writes the rows and moves them to `folder` when complete.
///
/// # Errors
///
/// When the folder is no longer ours to write, and when the system fails.
pub fn write(folder: &Folder, bench: &Bench, rows: &[Instructions]) -> Result<(), OutputError> {
    benchmark::write_rows(folder, bench, rows, |_| Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hash_comparison::measure::environment;

    fn row(task: &str, instructions_per_key: f64) -> Instructions {
        let environment = environment::collect();
        Instructions {
            rustc: environment.rustc,
            target: environment.target,
            policy: "leveldb".to_owned(),
            key_lengths: "16".to_owned(),
            task: task.to_owned(),
            keys: 1024,
            instructions_per_key,
        }
    }

    #[test]
    fn what_became_worse_is_named() {
        let record = [row("build", 100.0), row("absent", 100.0), row("present", 100.0)];
        let same = compare(
            &[row("build", 102.9), row("absent", 97.1), row("present", 100.0)],
            &record,
        );
        assert_eq!(same, Comparison::default());
        let changed = compare(
            &[row("build", 103.2), row("absent", 96.0), row("both", 1.0)],
            &record,
        );
        assert_eq!(
            changed.worse,
            [
                "leveldb, build, keys of 16 bytes: 103.20 instructions a key, 100.00 in the record (+3.2 %)",
                "leveldb, both, keys of 16 bytes: the record has no such row",
                "leveldb, present, keys of 16 bytes: is in the record, and was not measured",
            ]
        );
        assert_eq!(
            changed.better,
            ["leveldb, absent, keys of 16 bytes: 96.00 instructions a key, 100.00 in the record (-4.0 %)"]
        );
    }

    #[test]
    fn compilers_are_kept_apart() {
        let environment = environment::collect();
        let mut old = row("build", 90.0);
        old.rustc = "rustc 1.0.0".to_owned();
        let record = vec![old.clone(), row("build", 100.0)];
        assert_eq!(of_compiler(&record, &environment), [row("build", 100.0)]);
        assert_eq!(
            renewed(record, &[row("build", 80.0)], &environment),
            [old, row("build", 80.0)]
        );
    }

    #[test]
    fn rows_are_read_back_as_they_were_written() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::check(parent.path(), FORMAT).unwrap();
        let bench = Bench::new(
            FORMAT,
            "cargo".to_owned(),
            "2026".to_owned(),
            false,
            environment::collect(),
        );
        let rows = [row("build", 100.0), row("absent", 33.25)];
        write(&folder, &bench, &rows).unwrap();
        let path = parent.path().join("instructions.csv");
        assert_eq!(read_rows(&path).unwrap(), rows);
        // A second run replaces the first.
        write(&Folder::check(parent.path(), FORMAT).unwrap(), &bench, &rows[..1]).unwrap();
        assert_eq!(read_rows(&path).unwrap(), rows[..1]);
        let text = std::fs::read_to_string(&path).unwrap().replace("1024", "0");
        std::fs::write(&path, text).unwrap();
        assert!(read_rows(&path).unwrap_err().to_string().contains("line 2"));
    }
}
