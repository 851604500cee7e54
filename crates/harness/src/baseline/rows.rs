//! Rows that must be the same on every machine.

use std::collections::HashMap;

use crate::record::{Difference, Run};
use crate::records::{DETERMINISTIC_ROWS, Records};

/// Columns that depend on how many tests the whole run has, and so on its other functions and datasets.
const OF_THE_WHOLE_RUN: [&str; 4] = ["band_low", "band_high", "p_adjusted", "verdict"];

/// What both runs have, so that it can be compared.
pub(super) struct Comparable {
    /// Names of datasets with the same keys, the same seed and the same number of tests.
    pub(super) datasets: Vec<String>,
    functions: Vec<String>,
    /// Whether both runs are of the same datasets and functions.
    whole: bool,
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
        // Shuffles and samples come from the seed.
        if old.seed != new.seed {
            notes.push("shuffles differ with the seed: only times are compared".to_owned());
        }
        Self {
            datasets,
            functions: if old.seed == new.seed { are } else { Vec::new() },
            whole,
        }
    }
}

/// What came of it.
pub(super) struct Found {
    pub(super) compared: u64,
    pub(super) differences: Vec<Difference>,
}

/// Compares every row that both runs have, field by field as the files spell them.
pub(super) fn compare(before: &Records, now: &Records, comparable: &Comparable) -> Found {
    let mut found = Found {
        compared: 0,
        differences: Vec::new(),
    };
    for rows_of in DETERMINISTIC_ROWS {
        let old: HashMap<_, _> = rows_of(before)
            .into_iter()
            .map(|row| ((row.dataset, row.function, row.question), row.fields))
            .collect();
        for row in rows_of(now) {
            if !comparable.datasets.contains(&row.dataset)
                || !(comparable.functions.contains(&row.function) || row.is_beside)
            {
                continue;
            }
            let key = (row.dataset, row.function, row.question);
            let Some(fields) = old.get(&key) else {
                continue;
            };
            found.compared += 1;
            for ((column, was), (_, is)) in fields.iter().zip(&row.fields) {
                if was == is || (!comparable.whole && OF_THE_WHOLE_RUN.contains(column)) {
                    continue;
                }
                found.differences.push(Difference {
                    file: row.file.to_owned(),
                    dataset: key.0.clone(),
                    function: key.1.clone(),
                    question: key.2.clone(),
                    column: (*column).to_owned(),
                    before: was.clone(),
                    now: is.clone(),
                });
            }
        }
    }
    found
}
