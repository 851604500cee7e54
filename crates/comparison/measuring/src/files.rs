//! The records of a run as files: what its folder can hold, and how they are read and written.
//!
//! `run.json` holds the SHA-256 of every file, its own included, and reading checks them all, so the values are those of
//! the run and nothing else about them is checked here. Rows forged together with their checksums still have the right
//! form and finite numbers, and no list is longer than charts have room for.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use records::document::{self, Document, RUN};
use records::file;
use records::folder::{Destination, Kind};
use terminal::failure::Failure;

use crate::questions::{FILES, RecordFile, Records};
use crate::record::{EMPTY, IDEAL, Run};

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
    /// Returns the errors of [`document::read`], and an error if another file is missing or was changed.
    pub fn read(dir: &Path) -> Result<Self, Failure> {
        Self::read_files(dir, |_, _| true)
    }

    /// Reads `run.json` and, as far as they are kept, the files of times. Fails as [`read`](Self::read).
    pub fn read_times(dir: &Path) -> Result<Self, Failure> {
        Self::read_files(dir, |file, path| file.timed && path.exists())
    }

    /// Reads `run.json` and the files that are kept: those of a committed run are not all. Fails as [`read`](Self::read).
    pub fn read_kept(dir: &Path) -> Result<Self, Failure> {
        Self::read_files(dir, |_, path| path.exists())
    }

    fn read_files(dir: &Path, is_wanted: impl Fn(&RecordFile, &Path) -> bool) -> Result<Self, Failure> {
        let mut records = Self::of(document::read(&dir.join(RUN))?);
        for rows in FILES {
            let path = dir.join(rows.name);
            if let Some(stored) = records.run.checksums.get(rows.name)
                && is_wanted(rows, &path)
            {
                let bytes = file::read(&path)?;
                if *stored != file::checksum(&bytes) {
                    return Err(document::changed(&path));
                }
                (rows.parse)(&mut records, &path, &bytes)?;
            }
        }
        Ok(records)
    }

    /// Returns the files of these records: all of [`FILES`], unless the records were read and list fewer.
    pub fn files(&self) -> impl Iterator<Item = &'static RecordFile> {
        let listed = &self.run.checksums;
        FILES
            .iter()
            .filter(|file| listed.is_empty() || listed.contains_key(file.name))
    }

    /// Writes the rows, and leaves the records as every reader of the files sees them. The folder is complete with the
    /// content of `run.json`, which names all files.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be written.
    pub fn store(&mut self, destination: &Destination) -> Result<(), Failure> {
        let all: Vec<_> = self.files().collect();
        for rows in all {
            let bytes = (rows.bytes)(self);
            destination.write(rows.name, &bytes)?;
            (rows.parse)(self, rows.name.as_ref(), &bytes)?;
            let sum = file::checksum(&bytes);
            self.run.checksums.insert(rows.name.to_owned(), sum);
        }
        self.run = document::parse(RUN.as_ref(), &document::to_bytes(&self.run))?;
        Ok(())
    }
}

/// The folder of a comparison.
pub static KIND: Kind = Kind {
    records: || FILES.iter().map(|file| file.name).collect(),
    list: |path| Ok(document::read::<Run>(path)?.files),
};

impl Document for Run {
    const FORMAT: &'static str = crate::record::FORMAT;
    const SCHEMA: u32 = crate::record::SCHEMA;

    fn checksums(&mut self) -> &mut BTreeMap<String, String> {
        &mut self.checksums
    }

    /// Checks that the lists of datasets and functions have no duplicate names and are not too long.
    fn check(&self) -> Result<(), String> {
        let datasets: Vec<&str> = self.datasets.iter().map(|one| one.name.as_str()).collect();
        let functions: Vec<&str> = self.functions.iter().map(|one| one.name.as_str()).collect();
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
}
