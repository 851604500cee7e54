//! The files about structured keys, hash tables and mechanisms, which older runs do not have.

use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::check::{COUNTS, MEANS, SHARES, Wrong, within};
use super::table::{csv_reason, write_rows};
use super::{RUN, RecordsError, io, malformed};
use crate::record::{MechanismRow, OccupancyRow, Run, Structure, StructuredRow};

pub(super) const STRUCTURED: &str = "structured.csv";
pub(super) const OCCUPANCY: &str = "occupancy.csv";
pub(super) const MECHANISMS: &str = "mechanisms.csv";

/// Names of these files.
pub const STRUCTURE_FILES: [&str; 3] = [STRUCTURED, OCCUPANCY, MECHANISMS];

/// Most rows of a file: sets or datasets, functions, and questions.
const MOST_ROWS: usize = 64 * 64 * 16;

/// Reads the files in `dir`; `None` when they belong to no run there, as in those of older versions.
pub(super) fn read(dir: &Path, run: &Run) -> Result<Option<Structure>, RecordsError> {
    let there = |name: &&str| run.files.iter().any(|file| file == name) || dir.join(name).exists();
    if !STRUCTURE_FILES.iter().any(there) {
        return Ok(None);
    }
    Ok(Some(Structure {
        structured: rows(&dir.join(STRUCTURED), run)?,
        occupancy: rows(&dir.join(OCCUPANCY), run)?,
        mechanisms: rows(&dir.join(MECHANISMS), run)?,
    }))
}

/// Writes the files into `dir`.
pub(super) fn write(dir: &Path, structure: &Structure) -> Result<(), RecordsError> {
    write_rows(
        &dir.join(STRUCTURED),
        StructuredRow::HEADER,
        &structure.structured,
    )?;
    write_rows(&dir.join(OCCUPANCY), OccupancyRow::HEADER, &structure.occupancy)?;
    write_rows(&dir.join(MECHANISMS), MechanismRow::HEADER, &structure.mechanisms)
}

/// A row of one of these files.
pub(super) trait Row: Serialize + DeserializeOwned {
    const HEADER: &'static [&'static str];

    fn function(&self) -> &str;

    /// What no other row says.
    fn about(&self) -> String;

    /// What no other row about the same function, and dataset where there is one, says.
    fn question(&self) -> String;

    fn check(&self, run: &Run) -> Result<(), Wrong>;
}

impl Row for StructuredRow {
    #[rustfmt::skip]
    const HEADER: &'static [&'static str] = &[
        "set", "function", "window", "bits", "keys", "collisions", "expected", "ci_low", "ci_high", "p_value",
        "p_adjusted", "verdict", "first", "second",
    ];

    fn function(&self) -> &str {
        &self.function
    }

    fn about(&self) -> String {
        format!(
            "{}, {}, {:?} {} bits",
            self.set, self.function, self.window, self.bits
        )
    }

    fn question(&self) -> String {
        format!("{}, {:?} {} bits", self.set, self.window, self.bits)
    }

    fn check(&self, _run: &Run) -> Result<(), Wrong> {
        within("bits", self.bits, 1..=64)?;
        within("keys", self.keys, COUNTS)?;
        within("collisions", self.collisions, 0..=self.keys)?;
        within("expected", self.expected, MEANS)?;
        within("ci_high", self.ci_high, MEANS)?;
        within("ci_low", self.ci_low, 0.0..=self.ci_high)?;
        within("p_value", self.p_value, SHARES)?;
        within("p_adjusted", self.p_adjusted, SHARES)
    }
}

impl Row for OccupancyRow {
    #[rustfmt::skip]
    const HEADER: &'static [&'static str] = &[
        "dataset", "function", "choice", "buckets", "keys", "hit", "hit_expected", "hit_low", "hit_high", "hit_p", "miss",
        "longest", "longest_expected", "longest_high", "longest_p", "empty", "empty_expected", "empty_low", "empty_high",
        "empty_p", "p_adjusted", "verdict",
    ];

    fn function(&self) -> &str {
        &self.function
    }

    fn about(&self) -> String {
        format!("{}, {}, {:?}", self.dataset, self.function, self.choice)
    }

    fn question(&self) -> String {
        format!("{:?}", self.choice)
    }

    fn check(&self, run: &Run) -> Result<(), Wrong> {
        if !run.datasets.iter().any(|summary| summary.name == self.dataset) {
            return Err(format!(
                "field dataset: {RUN} knows no dataset {:?}",
                self.dataset
            ));
        }
        within("buckets", self.buckets, COUNTS)?;
        within("keys", self.keys, COUNTS)?;
        within("hit", self.hit, MEANS)?;
        within("hit_expected", self.hit_expected, MEANS)?;
        within("hit_high", self.hit_high, MEANS)?;
        within("hit_low", self.hit_low, 0.0..=self.hit_high)?;
        within("miss", self.miss, MEANS)?;
        within("longest", self.longest, 0..=self.keys)?;
        within("longest_high", self.longest_high, 0..=self.keys)?;
        within("longest_expected", self.longest_expected, MEANS)?;
        for (field, share) in [
            ("hit_p", self.hit_p),
            ("longest_p", self.longest_p),
            ("empty", self.empty),
            ("empty_expected", self.empty_expected),
            ("empty_high", self.empty_high),
            ("empty_p", self.empty_p),
            ("p_adjusted", self.p_adjusted),
        ] {
            within(field, share, SHARES)?;
        }
        within("empty_low", self.empty_low, 0.0..=self.empty_high)
    }
}

impl Row for MechanismRow {
    #[rustfmt::skip]
    const HEADER: &'static [&'static str] = &[
        "function", "mechanism", "parameter", "trials", "hits", "chance", "p_adjusted", "holds", "first", "second",
    ];

    fn function(&self) -> &str {
        &self.function
    }

    fn about(&self) -> String {
        format!("{}, {:?}", self.function, self.mechanism)
    }

    fn question(&self) -> String {
        format!("{:?}", self.mechanism)
    }

    fn check(&self, _run: &Run) -> Result<(), Wrong> {
        within("parameter", self.parameter, 0..=255)?;
        within("trials", self.trials, COUNTS)?;
        within("hits", self.hits, 0..=self.trials)?;
        within("chance", self.chance, SHARES)?;
        within("p_adjusted", self.p_adjusted, SHARES)
    }
}

fn rows<T: Row>(path: &Path, run: &Run) -> Result<Vec<T>, RecordsError> {
    let file = File::open(path).map_err(io(path))?;
    let mut reader = csv::Reader::from_reader(BufReader::new(file));
    let damaged = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(source) => io(path)(source),
        kind => malformed(path, csv_reason(&kind, T::HEADER)),
    };
    let header = reader.headers().map_err(damaged)?.clone();
    if header.iter().ne(T::HEADER.iter().copied()) {
        let header = T::HEADER.join(",");
        return Err(malformed(path, format!("line 1: the header is not {header}")));
    }
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    let mut seen = HashSet::new();
    while reader.read_record(&mut record).map_err(damaged)? {
        let line = record.position().map_or(0, csv::Position::line);
        let wrong = |reason: String| malformed(path, format!("line {line}, {reason}"));
        let row: T = record.deserialize(Some(&header)).map_err(damaged)?;
        row.check(run).map_err(wrong)?;
        let function = row.function();
        if !run.functions.iter().any(|known| known.name == function) {
            return Err(wrong(format!(
                "field function: {RUN} knows no function {function:?}"
            )));
        }
        let about = row.about();
        if !seen.insert(about.clone()) {
            return Err(wrong(format!(
                "{about}: a line before has said that; one row is allowed"
            )));
        }
        if rows.len() == MOST_ROWS {
            return Err(wrong(format!(
                "more than {MOST_ROWS} rows, which is the most allowed"
            )));
        }
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use crate::record::files::Records;
    use crate::run::compare::{self, Options};

    /// The records of a run of one function on a hundred keys, in `folder`.
    fn written(folder: &Path) -> Records {
        let keys = folder.join("keys.txt");
        let lines: String = (0..100).map(|number| format!("{number}\n")).collect();
        std::fs::write(&keys, lines).unwrap();
        let options = Options::new(&[], &["pjw".to_owned()], vec![keys], 1, true).unwrap();
        let records = compare::run(&options, &Silent).unwrap();
        records.write(folder).unwrap();
        Records::read(folder).unwrap()
    }

    #[test]
    fn what_is_written_is_read_and_damage_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let records = written(folder.path());
        let structure = records.structure.clone().unwrap();
        assert!(!structure.structured.is_empty() && structure.mechanisms.len() == 10);
        assert_eq!(structure.occupancy.len(), 4);
        type Change = fn(&mut Structure);
        let cases: &[(Change, &str)] = &[
            (
                |s| s.structured[0].bits = 65,
                "structured.csv: line 2, field bits: 65 is not allowed, only 1 to 64",
            ),
            (|s| s.structured[1].p_value = f64::NAN, "field p_value: NaN"),
            (|s| s.structured[1].collisions = u64::MAX, "field collisions"),
            (
                |s| s.structured[1].function = "none".to_owned(),
                "knows no function \"none\"",
            ),
            (
                |s| s.structured[1] = s.structured[0].clone(),
                "line 3, sparse-4, PJW, Whole 28 bits: a line before",
            ),
            (
                |s| s.occupancy[0].dataset = "other".to_owned(),
                "occupancy.csv: line 2, field dataset",
            ),
            (
                |s| s.occupancy[3].longest = 101,
                "field longest: 101 is not allowed, only 0 to 100",
            ),
            (|s| s.occupancy[3].hit = f64::INFINITY, "field hit: inf"),
            (
                |s| s.mechanisms[0].hits = 129,
                "mechanisms.csv: line 2, field hits",
            ),
        ];
        for (change, message) in cases {
            let mut changed = records.clone();
            change(changed.structure.as_mut().unwrap());
            changed.write(folder.path()).unwrap();
            let error = Records::read(folder.path()).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        std::fs::write(folder.path().join(STRUCTURED), "set\n").unwrap();
        let error = Records::read(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("line 1: the header is not set,function,"),
            "{error}"
        );
    }

    #[test]
    fn a_run_of_an_older_version_has_none_and_a_lost_file_is_missed() {
        let folder = tempfile::tempdir().unwrap();
        let mut records = written(folder.path());
        for name in STRUCTURE_FILES {
            std::fs::remove_file(folder.path().join(name)).unwrap();
        }
        assert_eq!(Records::read(folder.path()).unwrap().structure, None);
        records.structure = None;
        records.run.files = vec![OCCUPANCY.to_owned()];
        records.write(folder.path()).unwrap();
        let error = Records::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains(STRUCTURED), "{error}");
    }
}
