//! Rows that must be the same on every machine.

use std::collections::HashMap;

use crate::record::files::{About, AnyRow, DETERMINISTIC_ROWS, Records};
use crate::record::{Difference, Run};
use plots::thousands::grouped;

/// Columns that depend on how many tests their file has, and so on the other functions and datasets of the run.
const OF_THE_WHOLE_FILE: [&str; 12] = [
    "band_low",
    "band_high",
    "hit_low",
    "hit_high",
    "longest_high",
    "empty_low",
    "empty_high",
    "p_adjusted",
    "verdict",
    "holds",
    "first",
    "second",
];
/// Those of `mechanisms.csv`: which of several attempts a row tells depends on their number too.
const OF_THE_WHOLE_MECHANISMS: [&str; 3] = ["parameter", "hits", "chance"];

/// What both runs have, so that it can be compared.
pub(super) struct Comparable {
    /// Names of datasets with the same keys.
    pub(super) datasets: Vec<String>,
    /// Names of functions; none where the seeds differ.
    functions: Vec<String>,
    /// Whether both runs are of the same datasets and functions.
    whole: bool,
    /// Whether both have the same seed, from which shuffles, samples and generated keys come.
    same_seed: bool,
}

impl Comparable {
    /// Adds to `notes` what only one run has.
    pub(super) fn new(before: &Records, now: &Records, notes: &mut Vec<String>) -> Self {
        let (old, new) = (&before.run, &now.run);
        let mut datasets = Vec::new();
        for dataset in &new.datasets {
            match old.datasets.iter().find(|other| other.name == dataset.name) {
                None => notes.push(format!("the dataset {} is only in this run", dataset.name)),
                Some(other) if other.sha256 != dataset.sha256 => notes.push(format!(
                    "the dataset {} has other keys than before: not compared",
                    dataset.name
                )),
                Some(_) => datasets.push(dataset.name.clone()),
            }
        }
        for dataset in &old.datasets {
            if !new.datasets.iter().any(|other| other.name == dataset.name) {
                notes.push(format!("the dataset {} is only in the earlier run", dataset.name));
            }
        }
        let names = |run: &Run| run.functions.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
        let (were, are) = (names(old), names(new));
        let only = |some: &[String], others: &[String]| {
            let only: Vec<&str> = some
                .iter()
                .filter(|name| !others.contains(name))
                .map(String::as_str)
                .collect();
            only.join(", ")
        };
        for (which, names) in [
            ("this run", only(&are, &were)),
            ("the earlier run", only(&were, &are)),
        ] {
            if !names.is_empty() {
                notes.push(format!("only in {which}: {names}"));
            }
        }
        let whole =
            datasets.len() == new.datasets.len() && new.datasets.len() == old.datasets.len() && were == are;
        let same_seed = old.seed == new.seed;
        if !same_seed {
            notes.push("shuffles differ with the seed: only times are compared".to_owned());
        }
        Self {
            datasets,
            functions: are.into_iter().filter(|name| were.contains(name)).collect(),
            whole,
            same_seed,
        }
    }

    /// Whether the row is about what both runs have.
    fn has(&self, row: &AnyRow) -> bool {
        let about = &row.about;
        (about.dataset.is_empty() || self.datasets.contains(&about.dataset))
            && (row.is_beside || self.functions.contains(&about.function))
    }
}

/// What came of it.
#[derive(Default)]
pub(super) struct Found {
    pub(super) compared: u64,
    pub(super) differences: Vec<Difference>,
    /// Rows that only one of the runs has, a sentence for each file.
    pub(super) notes: Vec<String>,
}

/// Compares every row that both runs have, field by field as the files spell them.
pub(super) fn compare(before: &Records, now: &Records, comparable: &Comparable) -> Found {
    let mut found = Found::default();
    if !comparable.same_seed {
        return found;
    }
    for (file, rows) in DETERMINISTIC_ROWS {
        let rows = |records| rows(records).into_iter().filter(|row| comparable.has(row));
        let mut old: HashMap<About, AnyRow> = rows(before).map(|row| (row.about.clone(), row)).collect();
        let (mut both, mut only_now) = (Vec::new(), 0);
        for row in rows(now) {
            match old.remove(&row.about) {
                Some(was) => both.push((was, row)),
                None => only_now += 1,
            }
        }
        for (count, which, others, other) in [
            (only_now, "this run", before, "the earlier run"),
            (old.len(), "the earlier run", now, "this run"),
        ] {
            found.notes.extend(only(file, count, which, others, other));
        }
        let whole = comparable.whole && only_now == 0 && old.is_empty();
        found.compared += both.len() as u64;
        for (was, is) in both {
            let pairs = was.fields().zip(is.fields());
            let different = pairs
                .filter(|((column, was), (_, is))| was != is && (whole || !is_of_the_whole(file, column)));
            found
                .differences
                .extend(different.map(|((column, was), (_, now))| Difference {
                    file: file.to_owned(),
                    dataset: is.about.dataset.clone(),
                    function: is.about.function.clone(),
                    question: is.about.question.clone(),
                    column: column.to_owned(),
                    before: was.to_owned(),
                    now: now.to_owned(),
                }));
        }
    }
    found
}

/// That `count` rows of `file` are only in one run; `None` where none is.
fn only(file: &str, count: usize, which: &str, others: &Records, other: &str) -> Option<String> {
    let (rows, are) = match count {
        0 => return None,
        1 => ("row", "is"),
        _ => ("rows", "are"),
    };
    let count = grouped(count as u64);
    Some(if others.csv_files().any(|name| name == file) {
        format!("{file}: {count} {rows} {are} only in {which}, and not compared")
    } else {
        format!("{file}: {other} has no such file; {count} {rows} of {which} {are} not compared")
    })
}

fn is_of_the_whole(file: &str, column: &str) -> bool {
    OF_THE_WHOLE_FILE.contains(&column)
        || file == "mechanisms.csv" && OF_THE_WHOLE_MECHANISMS.contains(&column)
}
