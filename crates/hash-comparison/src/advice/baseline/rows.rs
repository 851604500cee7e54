//! Rows that must be the same on every machine.

use std::collections::HashMap;

use csv::StringRecord;

use crate::questions::{FILES, RecordFile, Records};
use crate::record::{Baseline, EMPTY, IDEAL};
use records::number::{counted, grouped};

/// The datasets and functions of both runs.
pub(super) struct Common {
    /// Names of datasets with the same keys.
    pub(super) datasets: Vec<String>,
    functions: Vec<String>,
    /// Set if both runs have the same datasets and functions.
    whole: bool,
}

impl Common {
    /// Names what only one run has in `notes`.
    pub(super) fn new(before: &Records, now: &Records, notes: &mut Vec<String>) -> Self {
        let names = |records: &Records| -> [Vec<String>; 3] {
            let datasets = records.run.datasets.iter().map(|set| set.name.clone());
            let functions = records.run.functions.iter().map(|one| one.name.clone());
            let files = records.files().map(|file| file.name.to_owned());
            [datasets.collect(), functions.collect(), files.collect()]
        };
        let (were, are) = (names(before), names(now));
        for (which, some, others) in [("this run", &are, &were), ("the earlier run", &were, &are)] {
            for (some, others) in some.iter().zip(others) {
                let only = some.iter().filter(|name| !others.contains(name)).cloned();
                let only: Vec<String> = only.collect();
                if !only.is_empty() {
                    notes.push(format!("Only in {which}: {}.", only.join(", ")));
                }
            }
        }
        let keys = |records: &Records, name: &str| {
            let mut sets = records.run.datasets.iter();
            sets.find(|set| set.name == name).map(|set| set.sha256.clone())
        };
        let has_same_keys = |name: &String| keys(before, name) == keys(now, name);
        let [known, measured, _] = &were;
        let mut whole = were[..2] == are[..2];
        let [mut datasets, mut functions, _] = are;
        datasets.retain(|name| known.contains(name));
        for name in datasets.iter().filter(|name| !has_same_keys(name)) {
            whole = false;
            notes.push(format!(
                "The dataset {name} has other keys than before and is not compared."
            ));
        }
        datasets.retain(has_same_keys);
        functions.retain(|name| measured.contains(name));
        Self {
            datasets,
            functions,
            whole,
        }
    }

    /// Returns the header of a file and its rows about what both runs have, each with its key in words.
    fn rows(&self, file: &RecordFile, records: &Records) -> (StringRecord, Vec<(String, StringRecord)>) {
        let (header, rows) = file.spelled(records);
        let rows = rows.into_iter().filter_map(|row| {
            let mut key = Vec::new();
            for (column, cell) in header
                .iter()
                .zip(&row)
                .filter(|(column, _)| file.key.contains(column))
            {
                let is_common = match column {
                    "dataset" => self.datasets.iter().any(|name| name == cell),
                    "function" => {
                        [EMPTY, IDEAL].contains(&cell) || self.functions.iter().any(|name| name == cell)
                    }
                    _ => {
                        key.push(format!("{column} {cell}"));
                        continue;
                    }
                };
                key.push(is_common.then(|| cell.to_owned())?);
            }
            Some((key.join(", "), row))
        });
        let rows = rows.collect();
        (header, rows)
    }

    /// Compares each row that both runs have, field by field as stored.
    pub(super) fn compare(&self, before: &Records, now: &Records, found: &mut Baseline) {
        let same_seed = before.run.seed == now.run.seed;
        let both = |file: &&RecordFile| {
            let is_there = |records: &Records| records.files().any(|other| other.name == file.name);
            !file.timed && is_there(before) && is_there(now)
        };
        let (skipped, compared): (Vec<_>, Vec<_>) = FILES
            .iter()
            .filter(both)
            .partition(|file| file.seeded && !same_seed);
        if !skipped.is_empty() {
            let names: Vec<&str> = skipped.iter().map(|file| file.name).collect();
            let names = names.join(", ");
            found.notes.push(format!(
                "These files depend on the seed and are not compared: {names}."
            ));
        }
        for file in compared {
            let (header, new) = self.rows(file, now);
            let mut old: HashMap<String, StringRecord> = self.rows(file, before).1.into_iter().collect();
            let all = old.len() + new.len();
            let pairs = new
                .into_iter()
                .filter_map(|(key, row)| Some((old.remove(&key)?, key, row)));
            let pairs: Vec<_> = pairs.collect();
            let alone = (all - 2 * pairs.len()) as u64;
            if alone > 0 {
                let rows = counted(alone, "row");
                found
                    .notes
                    .push(format!("{}: {rows} of only one run, not compared.", file.name));
            }
            // Columns that depend on all rows are the same only if all are there.
            let counts = |column: &str| self.whole && alone == 0 || !file.shared.contains(&column);
            let different = pairs.iter().filter_map(|(was, key, is)| {
                let mut cells = header.iter().zip(was.iter().zip(is));
                let (column, (was, is)) = cells.find(|(column, (was, is))| was != is && counts(column))?;
                Some(format!("{key}: {column} was {was} and is {is}"))
            });
            let different: Vec<String> = different.collect();
            found.compared_rows += pairs.len() as u64;
            found.differences.extend(different.first().map(|first| {
                let [some, all] = [different.len(), pairs.len()].map(|rows| grouped(rows as u64));
                format!(
                    "{}: {some} of {all} rows differ, which they must not. The first: {first}.",
                    file.name
                )
            }));
        }
    }
}
