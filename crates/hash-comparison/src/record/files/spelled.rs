//! Rows of any file, as far as a run is held against another.

use csv::StringRecord;
use serde::Serialize;

use super::structure;
use super::table::Row;
use super::{AVALANCHE, COLLISIONS, DISTRIBUTION, FALSE_POSITIVES, MIXING, Records, WINDOWS};
use crate::record::{BitTests, Structure};

/// Gives the rows of a file.
pub(crate) type Spell = fn(&Records) -> Vec<AnyRow>;

/// The files whose bytes depend on data and seed alone, and their rows: none where a run lacks the file.
pub(crate) const DETERMINISTIC_ROWS: [(&str, Spell); 9] = [
    (COLLISIONS, |records| rows(&records.collisions)),
    (DISTRIBUTION, |records| rows(&records.distribution)),
    (FALSE_POSITIVES, |records| rows(&records.false_positives)),
    (WINDOWS, |records| of_bits(records, |bits| rows(&bits.windows))),
    (AVALANCHE, |records| {
        of_bits(records, |bits| rows(&bits.avalanche))
    }),
    (MIXING, |records| of_bits(records, |bits| rows(&bits.mixing))),
    (structure::STRUCTURED, |records| {
        of_structure(records, |structure| structured(&structure.structured, |_| ""))
    }),
    (structure::OCCUPANCY, |records| {
        of_structure(records, |structure| {
            structured(&structure.occupancy, |row| &row.dataset)
        })
    }),
    (structure::MECHANISMS, |records| {
        of_structure(records, |structure| structured(&structure.mechanisms, |_| ""))
    }),
];

/// A row of any file.
#[derive(Debug)]
pub(crate) struct AnyRow {
    /// What no other row of the file is about.
    pub(crate) about: About,
    /// Whether its function is none of the run, but what stands beside them.
    pub(crate) is_beside: bool,
    header: &'static [&'static str],
    fields: StringRecord,
}

/// What tells the rows of a file apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct About {
    /// Name of the dataset; empty where the row is of none.
    pub(crate) dataset: String,
    pub(crate) function: String,
    /// The question in words.
    pub(crate) question: String,
}

impl AnyRow {
    /// Columns and values as the file spells them.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.header.iter().copied().zip(&self.fields)
    }
}

fn of_bits(records: &Records, rows: fn(&BitTests) -> Vec<AnyRow>) -> Vec<AnyRow> {
    records.bits.as_ref().map_or_else(Vec::new, rows)
}

fn of_structure(records: &Records, rows: fn(&Structure) -> Vec<AnyRow>) -> Vec<AnyRow> {
    records.structure.as_ref().map_or_else(Vec::new, rows)
}

fn rows<T: Row>(rows: &[T]) -> Vec<AnyRow> {
    let about = |row: &T| {
        let (dataset, function) = row.about();
        let about = About {
            dataset: dataset.to_owned(),
            function: function.to_owned(),
            question: T::words(row.question()),
        };
        (about, T::BESIDE == Some(function))
    };
    spelled(rows, T::HEADER, about)
}

fn structured<T: structure::Row>(rows: &[T], dataset: fn(&T) -> &str) -> Vec<AnyRow> {
    let about = |row: &T| {
        let about = About {
            dataset: dataset(row).to_owned(),
            function: row.function().to_owned(),
            question: row.question(),
        };
        (about, false)
    };
    spelled(rows, T::HEADER, about)
}

fn spelled<T: Serialize>(
    rows: &[T],
    header: &'static [&'static str],
    about: impl Fn(&T) -> (About, bool),
) -> Vec<AnyRow> {
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(Vec::new());
    for row in rows {
        writer
            .serialize(row)
            .expect("rows of plain fields have a CSV form");
    }
    let lines = writer.into_inner().expect("memory takes any bytes");
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(&lines[..]);
    let spell = |(row, fields): (&T, StringRecord)| {
        let (about, is_beside) = about(row);
        AnyRow {
            about,
            is_beside,
            header,
            fields,
        }
    };
    rows.iter().zip(reader.records().flatten()).map(spell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use crate::run::compare::{self, Options};

    #[test]
    fn rows_are_spelled_as_their_files_are() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let keys = dir.join("keys, \"odd\".txt");
        // Enough for every file to have rows.
        let lines: String = (0..100).map(|number| format!("{number}\n")).collect();
        std::fs::write(&keys, lines).unwrap();
        let options = Options::new(&[], &["pjw".to_owned()], vec![keys], 1, true).unwrap();
        let records = compare::run(&options, &Silent).unwrap();
        records.write(dir).unwrap();
        let files: Vec<&str> = DETERMINISTIC_ROWS.iter().map(|(file, _)| *file).collect();
        let mut known: Vec<&str> = records.deterministic_files().collect();
        known.sort_unstable_by_key(|name| files.iter().position(|file| file == name));
        assert_eq!(files, known);
        for (file, spell) in DETERMINISTIC_ROWS {
            let rows = spell(&records);
            assert!(!rows.is_empty(), "{file}");
            let mut reader = csv::Reader::from_path(dir.join(file)).unwrap();
            let header = reader.headers().unwrap().clone();
            let read: Vec<StringRecord> = reader.records().map(Result::unwrap).collect();
            assert_eq!(read.len(), rows.len(), "{file}");
            let mut abouts = std::collections::HashSet::new();
            for (row, fields) in rows.iter().zip(&read) {
                assert!(row.fields().map(|field| field.0).eq(&header), "{file}: {row:?}");
                assert!(row.fields().map(|field| field.1).eq(fields), "{file}: {row:?}");
                assert!(abouts.insert(&row.about), "{file}: {row:?}");
            }
        }
    }
}
