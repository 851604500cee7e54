//! All records of a run, in memory and on disk: `run.json`, and one CSV file for each question.
//!
//! `run.json` holds the SHA-256 of every file, its own included, and reading checks them all, so the values are those
//! of the run and nothing else about them is checked here. Rows forged together with their checksums still have the
//! right form and finite numbers, and no list is longer than charts have room for.

use std::collections::HashSet;
use std::path::Path;

use sha2::{Digest as _, Sha256};

pub use super::rows::{FILES, RecordFile, Records};
use super::{CallForm, EMPTY, FORMAT, IDEAL, Run, SCHEMA, TimingRow, table};
use crate::error::{Error, ErrorKind};

/// Name of the file for everything that the CSV files do not hold.
pub const RUN: &str = "run.json";

/// The most datasets in a run.
pub const MAX_DATASETS: usize = 64;
/// The most functions in a run.
pub const MAX_FUNCTIONS: usize = 64;

impl Records {
    /// Reads the records in `dir`.
    ///
    /// A file that `run.json` does not list did not exist when the run was made; its rows are empty.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`read_run`], and an error if another file is missing or was changed.
    pub fn read(dir: &Path) -> Result<Self, Error> {
        Self::read_files(dir, |_| true)
    }

    /// Reads only `run.json` and the times of whole datasets, which are the files kept of a run on another machine.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`read`](Self::read).
    pub fn read_times(dir: &Path) -> Result<Self, Error> {
        Self::read_files(dir, |file| ["timing.csv", "latency.csv"].contains(&file.name))
    }

    fn read_files(dir: &Path, is_wanted: impl Fn(&RecordFile) -> bool) -> Result<Self, Error> {
        let mut records = Self::of(read_run(&dir.join(RUN))?);
        for file in FILES.iter().filter(|file| is_wanted(file)) {
            let path = dir.join(file.name);
            if let Some(stored) = records.run.checksums.get(file.name) {
                let bytes = table::bytes_of(&path)?;
                if *stored != checksum(&bytes) {
                    return Err(changed(&path));
                }
                (file.parse)(&mut records, &path, &bytes)?;
            }
        }
        Ok(records)
    }

    /// Returns the times of whole datasets in calls of this form.
    pub fn times(&self, form: CallForm) -> &[TimingRow] {
        match form {
            CallForm::Independent => &self.timing,
            CallForm::Chained => &self.latency,
        }
    }

    /// Returns the files of these records: all of [`FILES`], unless the records were read and list fewer.
    pub fn files(&self) -> impl Iterator<Item = &'static RecordFile> {
        let listed = &self.run.checksums;
        FILES
            .iter()
            .filter(|file| listed.is_empty() || listed.contains_key(file.name))
    }

    /// Writes the records into `dir`, which must exist, and the checksums of the written files into `run.json`.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be written.
    pub fn write(&self, dir: &Path) -> Result<(), Error> {
        let mut run = self.run.clone();
        for file in self.files() {
            let bytes = (file.bytes)(self);
            let path = dir.join(file.name);
            std::fs::write(&path, &bytes).map_err(Error::system(&path))?;
            run.checksums.insert(file.name.to_owned(), checksum(&bytes));
        }
        write_run(&dir.join(RUN), &run)
    }
}

/// Checks that the lists of datasets and functions have no duplicate names and are not too long.
fn check(run: &Run) -> Result<(), String> {
    let datasets: Vec<&str> = run.datasets.iter().map(|one| one.name.as_str()).collect();
    let functions: Vec<&str> = run.functions.iter().map(|one| one.name.as_str()).collect();
    for (field, names, most, beside) in [
        ("datasets", datasets, MAX_DATASETS, &[][..]),
        ("functions", functions, MAX_FUNCTIONS, &[EMPTY, IDEAL]),
    ] {
        if names.len() > most {
            return Err(format!(
                "field {field}: there must be at most {most}, got {}",
                names.len()
            ));
        }
        let mut seen: HashSet<&str> = beside.iter().copied().collect();
        if let Some(name) = names.iter().find(|name| !seen.insert(name)) {
            return Err(format!(
                "field {field}: {name:?} must be unique and not the name of a built-in row"
            ));
        }
    }
    Ok(())
}

/// Returns the error for a file that was changed after the run.
fn changed(path: &Path) -> Error {
    let reason = format!(
        "is not what the run wrote: its SHA-256 is not the one in {RUN}; restore the file, or run `compare` again"
    );
    Error::new(ErrorKind::Changed, reason).about(path)
}

/// Returns the SHA-256 in lower-case hex.
fn checksum(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Placeholder for the checksum of `run.json` while that checksum is computed.
const UNKNOWN: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Returns the entry for the checksum of `run.json` itself. Quotes in any other text are escaped, so it is unique.
fn of_itself(sum: &str) -> String {
    format!("\"{RUN}\": \"{sum}\"")
}

/// Reads only `run.json`, and checks that this program wrote it and that nobody changed it.
///
/// # Errors
///
/// Returns an error if the file is missing, unreadable, damaged or changed, if it is of another program or schema, or
/// if it has more datasets or functions than charts have room for.
pub fn read_run(path: &Path) -> Result<Run, Error> {
    let bytes = table::bytes_of(path)?;
    let value: serde_json::Value = serde_json::from_slice(&bytes)
        .map_err(|e| table::malformed(path, format!("damaged: not JSON: {e}")))?;
    let foreign = |reason| Err(Error::new(ErrorKind::Foreign, reason).about(path));
    match value.get("format").and_then(serde_json::Value::as_str) {
        Some(FORMAT) => {}
        Some(other) => {
            return foreign(format!(
                "not a run of this program: \"format\" is {other:?}, not {FORMAT:?}"
            ));
        }
        None => return foreign(format!("not a run of this program: no \"format\": {FORMAT:?}")),
    }
    match value.get("schema").and_then(serde_json::Value::as_u64) {
        Some(schema) if schema == u64::from(SCHEMA) => {}
        Some(other) => {
            return foreign(format!(
                "of another version of this program: this run has schema {other}, and this program reads {SCHEMA}"
            ));
        }
        None => {
            return foreign(format!(
                "damaged: \"schema\" must be a whole number; this program reads {SCHEMA}"
            ));
        }
    }
    // Parsed from the text once more: this error names line and column.
    let run: Run =
        serde_json::from_slice(&bytes).map_err(|e| table::malformed(path, format!("damaged: {e}")))?;
    let stored = run.checksums.get(RUN).map_or("", String::as_str);
    let text = String::from_utf8_lossy(&bytes).replacen(&of_itself(stored), &of_itself(UNKNOWN), 1);
    if checksum(text.as_bytes()) != stored {
        return Err(changed(path));
    }
    check(&run).map_err(|reason| table::malformed(path, reason))?;
    Ok(run)
}

/// Writes only `run.json`, with its own checksum: the SHA-256 of the file with zeros in place of that checksum.
///
/// # Errors
///
/// Returns an error if the file cannot be written.
pub fn write_run(path: &Path, run: &Run) -> Result<(), Error> {
    let mut run = run.clone();
    run.checksums.insert(RUN.to_owned(), UNKNOWN.to_owned());
    let mut text = serde_json::to_string_pretty(&run).map_err(|e| table::malformed(path, e.to_string()))?;
    text.push('\n');
    let sum = checksum(text.as_bytes());
    let text = text.replacen(&of_itself(UNKNOWN), &of_itself(&sum), 1);
    std::fs::write(path, text).map_err(Error::system(path))
}
