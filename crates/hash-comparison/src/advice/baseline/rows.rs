//! Rows that must be the same on every machine.

use std::collections::HashMap;

use csv::StringRecord;

use crate::questions::{FILES, RecordFile, Records};
use crate::record::{Baseline, Difference, EMPTY, IDEAL, Run};
use records::number::grouped;

/// Returns the header of a file and its comparable rows, each with the cells of its key columns.
fn cells(
    file: &RecordFile,
    records: &Records,
    comparable: &Comparable,
) -> (StringRecord, Vec<(Vec<String>, StringRecord)>) {
    let (header, mut rows) = file.spelled(records);
    let cell = |row: &StringRecord, column: &str| {
        let at = header.iter().position(|name| name == column)?;
        row.get(at).map(str::to_owned)
    };
    let key = |row: &StringRecord| -> Vec<String> {
        let cells = file.key.iter().map(|column| cell(row, column));
        cells.map(Option::unwrap_or_default).collect()
    };
    rows.retain(|row| comparable.has(cell(row, "dataset"), cell(row, "function")));
    let rows = rows.into_iter().map(|row| (key(&row), row)).collect();
    (header, rows)
}

/// The datasets and functions that both runs have.
pub(super) struct Comparable {
    /// Names of datasets with the same keys.
    pub(super) datasets: Vec<String>,
    /// Names of functions in both runs.
    functions: Vec<String>,
    /// Set if both runs have the same datasets and functions.
    whole: bool,
    /// Set if both runs have the same seed, which determines shuffles, samples and generated keys.
    same_seed: bool,
}

impl Comparable {
    /// Adds the datasets and functions that only one run has to `notes`.
    pub(super) fn new(before: &Records, now: &Records, notes: &mut Vec<String>) -> Self {
        let (old, new) = (&before.run, &now.run);
        let names = |run: &Run| {
            let sets = run.datasets.iter().map(|set| set.name.clone());
            let functions = run.functions.iter().map(|function| function.name.clone());
            (sets.collect::<Vec<_>>(), functions.collect::<Vec<_>>())
        };
        let ((old_sets, were), (new_sets, are)) = (names(old), names(new));
        for (which, some, others) in [
            ("this run", (&new_sets, &are), (&old_sets, &were)),
            ("the earlier run", (&old_sets, &were), (&new_sets, &are)),
        ] {
            for (some, others) in [(some.0, others.0), (some.1, others.1)] {
                let only = some.iter().filter(|name| !others.contains(name)).cloned();
                let only: Vec<String> = only.collect();
                if !only.is_empty() {
                    notes.push(format!("Only in {which}: {}.", only.join(", ")));
                }
            }
        }
        let mut datasets = Vec::new();
        for dataset in &new.datasets {
            match old.datasets.iter().find(|other| other.name == dataset.name) {
                Some(other) if other.sha256 == dataset.sha256 => datasets.push(dataset.name.clone()),
                Some(_) => notes.push(format!(
                    "The dataset {} has other keys than before and is not compared.",
                    dataset.name
                )),
                None => {}
            }
        }
        let whole =
            datasets.len() == new.datasets.len() && new.datasets.len() == old.datasets.len() && were == are;
        let same_seed = old.seed == new.seed;
        if !same_seed {
            let seeded = FILES.iter().filter(|file| file.seeded && !file.timed);
            let names: Vec<&str> = seeded.map(|file| file.name).collect();
            notes.push(format!(
                "These files depend on the seed and are not compared: {}.",
                names.join(", ")
            ));
        }
        Self {
            datasets,
            functions: are.into_iter().filter(|name| were.contains(name)).collect(),
            whole,
            same_seed,
        }
    }

    /// Returns true if both runs have this dataset and function.
    fn has(&self, dataset: Option<String>, function: Option<String>) -> bool {
        dataset.is_none_or(|name| self.datasets.contains(&name))
            && function
                .is_none_or(|name| [EMPTY, IDEAL].contains(&name.as_str()) || self.functions.contains(&name))
    }
}

/// Compares each row that both runs have, field by field as stored, and notes the number of rows that only one run has
/// for each file.
pub(super) fn compare(before: &Records, now: &Records, comparable: &Comparable, found: &mut Baseline) {
    let is_comparable = |file: &&RecordFile| !file.timed && (comparable.same_seed || !file.seeded);
    for file in FILES.iter().filter(is_comparable) {
        let (_, old) = cells(file, before, comparable);
        let (header, new) = cells(file, now, comparable);
        let mut old: HashMap<Vec<String>, StringRecord> = old.into_iter().collect();
        let (mut both, mut only_now) = (Vec::new(), 0);
        for (key, row) in new {
            match old.remove(&key) {
                Some(was) => both.push((key, was, row)),
                None => only_now += 1,
            }
        }
        for (count, which, others, other) in [
            (only_now, "this run", before, "the earlier run"),
            (old.len(), "the earlier run", now, "this run"),
        ] {
            found.notes.extend(only(file.name, count, which, others, other));
        }
        let whole = comparable.whole && only_now == 0 && old.is_empty();
        found.compared_rows += both.len() as u64;
        for (key, was, is) in both {
            let cells = header.iter().zip(was.iter().zip(&is));
            let different =
                cells.filter(|(column, (was, is))| was != is && (whole || !file.shared.contains(column)));
            found
                .differences
                .extend(different.map(|(column, (was, is))| difference(file, &key, column, was, is)));
        }
    }
}

fn difference(file: &RecordFile, key: &[String], column: &str, before: &str, now: &str) -> Difference {
    let (mut dataset, mut function, mut question) = (String::new(), String::new(), Vec::new());
    for (name, cell) in file.key.iter().zip(key) {
        match *name {
            "dataset" => dataset.clone_from(cell),
            "function" => function.clone_from(cell),
            _ => question.push(format!("{name} {cell}")),
        }
    }
    Difference {
        file: file.name.to_owned(),
        dataset,
        function,
        question: question.join(", "),
        column: column.to_owned(),
        before: before.to_owned(),
        now: now.to_owned(),
    }
}

/// Returns a note on the `count` rows of `file` that only one run has, or `None` for no rows.
fn only(file: &str, count: usize, which: &str, others: &Records, other: &str) -> Option<String> {
    let (rows, are) = match count {
        0 => return None,
        1 => ("row", "is"),
        _ => ("rows", "are"),
    };
    let count = grouped(count as u64);
    Some(if others.files().any(|known| known.name == file) {
        format!("{file}: {count} {rows} {are} only in {which} and not compared.")
    } else {
        format!("{file}: {other} has no such file, so {count} {rows} of {which} {are} not compared.")
    })
}
