//! The suite `instructions`: instructions of each policy by its portable kernel, against the committed record.

use std::path::PathBuf;

use harness::benchmark::{Bench, Folder};
use harness::environment;
use harness::instructions::{self as records, FORMAT, Instructions};

use super::Suite;
use crate::failure::Failure;
use crate::suite::programs;
use crate::{instructions, table, workspace};

pub(super) const SUITE: Suite = Suite {
    format: FORMAT,
    // Not a program that writes batches: valgrind counts.
    programs: &[],
    require: || programs::require_these(&["valgrind"]),
    write,
};

/// Counts, writes the records, and compares them with the committed ones; those are renewed where they are what is
/// written.
fn write(folder: &Folder, bench: &Bench, _: &[PathBuf]) -> Result<String, Failure> {
    let root = workspace::root();
    let measured = instructions::count(&root).map_err(Failure::Internal)?;
    let committed = instructions::record(&root);
    let record = instructions::read(&committed).map_err(Failure::Internal)?;
    let environment = environment::collect();
    let mut text = summary(&measured);
    if folder.path() == committed {
        let rows = records::renewed(record, &measured, &environment);
        records::write(folder, bench, &rows).map_err(Failure::internal)?;
        return Ok(text);
    }
    records::write(folder, bench, &measured).map_err(Failure::internal)?;
    text.push_str(&instructions::judge(&record, &measured).map_err(Failure::Internal)?);
    Ok(text)
}

/// A line for each policy and length of keys, a column for each task.
fn summary(rows: &[Instructions]) -> String {
    let group = |row: &Instructions| (row.policy.clone(), row.key_lengths.clone());
    let lines = rows.chunk_by(|a, b| group(a) == group(b)).map(|rows| {
        let (policy, key_lengths) = rows.first().map(group).unwrap_or_default();
        let counts = rows.iter().map(|row| format!("{:.1}", row.instructions_per_key));
        [policy, key_lengths]
            .into_iter()
            .chain(counts)
            .collect::<Vec<_>>()
    });
    let header = ["instructions a key", "bytes", "build", "absent", "present"];
    format!("\n{}\n\n", table::table(header, &[1, 2, 3, 4], lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(task: &str, instructions_per_key: f64) -> Instructions {
        Instructions {
            rustc: String::new(),
            target: String::new(),
            policy: "ribbon".to_owned(),
            key_lengths: "16".to_owned(),
            task: task.to_owned(),
            keys: 1024,
            instructions_per_key,
        }
    }

    #[test]
    fn the_table_has_a_line_for_each_policy() {
        let text = summary(&[row("build", 1.0), row("absent", 2.0), row("present", 3.25)]);
        assert!(text.contains("ribbon"), "{text}");
        assert!(text.contains("3.2"), "{text}");
    }
}
