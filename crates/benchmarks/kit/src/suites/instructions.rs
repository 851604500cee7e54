//! Instruction counts of policies with the portable kernel, compared with an earlier record.
//!
//! Unlike times, counts have no noise: they depend only on the code, its compiler, and functions that the C library
//! selects by processor. Counts are therefore compared only between runs of the same compiler.

use records::environment::Environment;
use serde::{Deserialize, Serialize};

use crate::folder::Format;
use crate::suite::{self, Suite};
use crate::summary::across;

/// The share by which a count may exceed the record. It allows for changed inlining after small changes elsewhere in
/// the program, and for the C library's functions on another processor. The commonest policies take 30 to 200
/// instructions per key.
pub const TOLERANCE: f64 = 0.03;

/// A row of `instructions.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Instructions {
    /// The compiler.
    pub rustc: String,
    /// Target triple.
    pub target: String,
    /// The policy.
    pub policy: String,
    /// The lengths of the keys, in bytes.
    pub key_lengths: String,
    /// `build`, or the kind of keys in the queries.
    pub task: String,
    /// Keys added or queried.
    pub keys: u64,
    /// Instructions divided by keys.
    #[serde(with = "statistics::significant")]
    pub instructions_per_key: f64,
}

impl Instructions {
    /// Returns policy, task and key lengths as text.
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

/// Returns the record's rows of other compilers, followed by the measured rows.
pub fn renewed(
    record: Vec<Instructions>,
    measured: &[Instructions],
    environment: &Environment,
) -> Vec<Instructions> {
    let others = record.into_iter().filter(|row| !row.is_of(environment));
    others.chain(measured.iter().cloned()).collect()
}

/// Compares the measured rows with the record of the same compiler, and returns a message that says what to do.
///
/// # Errors
///
/// If a row exceeds the record by more than [`TOLERANCE`], or is missing from the record or the measurement; the
/// message has a line for each.
pub fn judge(
    record: &[Instructions],
    measured: &[Instructions],
    environment: &Environment,
) -> Result<String, String> {
    let record: Vec<&Instructions> = record.iter().filter(|row| row.is_of(environment)).collect();
    if record.is_empty() {
        return Ok(format!(
            "instructions are not compared: the committed record has none of {} for {}; \
             `cargo xtask bench --suite instructions --out reports/reference/instructions` adds them\n",
            environment.rustc, environment.target
        ));
    }
    let (mut worse, mut better) = (Vec::new(), Vec::new());
    for row in measured {
        let Some(before) = record.iter().find(|before| before.is_same_work(row)) else {
            worse.push(format!("{}: the record has no such row", row.named()));
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
            worse.push(line());
        } else if now < then * (1.0 - TOLERANCE) {
            better.push(line());
        }
    }
    for row in record {
        if !measured.iter().any(|other| other.is_same_work(row)) {
            worse.push(format!("{}: is in the record, and was not measured", row.named()));
        }
    }
    if !worse.is_empty() {
        return Err(format!(
            "more instructions than in the committed record:\n{}",
            worse.join("\n")
        ));
    }
    let mut text = format!(
        "no row is more than {} % above the committed record\n",
        TOLERANCE * 100.0
    );
    if !better.is_empty() {
        text.push_str(&format!(
            "below it, so that the record should be renewed:\n{}\n",
            better.join("\n")
        ));
    }
    Ok(text)
}

/// The suite. Its program writes rows instead of batches.
pub const SUITE: Suite<Instructions, Instructions> = Suite {
    keeps_batches: false,
    ..Suite::new(
        Format::new("instruction-bench", 1, "instructions"),
        suite::as_written,
        &[],
        summary,
    )
};

fn summary(rows: &[Instructions]) -> String {
    let table = across(
        rows,
        "instructions a key",
        |row| format!("{}, {} bytes", row.policy, row.key_lengths),
        |row| row.task.clone(),
        |row| format!("{:.1}", row.instructions_per_key),
    );
    format!("\n{table}\n\n")
}

#[cfg(test)]
mod tests {
    use records::environment;

    use super::*;

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
        let environment = environment::collect();
        let record = [row("build", 100.0), row("absent", 100.0), row("present", 100.0)];
        let same = [row("build", 102.9), row("absent", 97.1), row("present", 100.0)];
        assert_eq!(
            judge(&record, &same, &environment).unwrap(),
            "no row is more than 3 % above the committed record\n"
        );
        let changed = [row("build", 103.2), row("absent", 96.0), row("both", 1.0)];
        assert_eq!(
            judge(&record, &changed, &environment).unwrap_err(),
            "more instructions than in the committed record:\n\
             leveldb, build, keys of 16 bytes: 103.20 instructions a key, 100.00 in the record (+3.2 %)\n\
             leveldb, both, keys of 16 bytes: the record has no such row\n\
             leveldb, present, keys of 16 bytes: is in the record, and was not measured"
        );
        let better = judge(&record[1..2], &changed[1..2], &environment).unwrap();
        assert!(
            better.ends_with(
                "absent, keys of 16 bytes: 96.00 instructions a key, 100.00 in the record (-4.0 %)\n"
            ),
            "{better}"
        );
    }

    #[test]
    fn compilers_are_kept_apart() {
        let environment = environment::collect();
        let mut old = row("build", 90.0);
        old.rustc = "rustc 1.0.0".to_owned();
        let said = judge(std::slice::from_ref(&old), &[row("build", 100.0)], &environment).unwrap();
        assert!(said.starts_with("instructions are not compared: "), "{said}");
        let record = vec![old.clone(), row("build", 100.0)];
        assert_eq!(
            renewed(record, &[row("build", 80.0)], &environment),
            [old, row("build", 80.0)]
        );
    }
}
