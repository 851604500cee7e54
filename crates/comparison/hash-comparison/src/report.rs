//! The report of a run: shown on a terminal, and written to its folder, first next to it, moved when complete.
//!
//! The folder has all records: `run.json`, and one CSV file for each question. `run.json` holds the SHA-256 of every
//! file, its own included, and reading checks them all, so the values are those of the run and nothing else about them
//! is checked here. Rows forged together with their checksums still have the right form and finite numbers, and no list
//! is longer than charts have room for.

pub mod summary;

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::Path;

use crate::page;
use crate::questions::{FILES, RecordFile, Records};
use crate::record::{EMPTY, IDEAL, Run};
use records::document::{self, Document, RUN};
use records::file;
use records::folder::{Destination, Kind};
use terminal::bar::Terminal;
use terminal::failure::Failure;
use terminal::progress::Progress as _;

/// The results of a comparison. Displayed, it is what the program prints: the recommendation for each set of keys.
pub struct Report {
    /// Every figure.
    pub records: Records,
    pub(crate) terminal: Terminal,
}

impl Report {
    /// Writes `index.html`, the charts, and all records as CSV and JSON into a folder that is absent, empty, or of an earlier
    /// run.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`] for a folder with other files or that cannot be written; [`Failure::Interrupted`] after Ctrl-C.
    /// Nothing is written then.
    pub fn write(&self, out: impl AsRef<Path>) -> Result<(), Failure> {
        let destination = Destination::check(out.as_ref(), &KIND)?;
        write(self.records.clone(), destination, &self.terminal)?;
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&summary::of(&self.records))
    }
}

/// Writes records, charts and report, and returns the records as they were written.
pub(crate) fn write(
    mut records: Records,
    destination: Destination,
    terminal: &Terminal,
) -> Result<Records, Failure> {
    // Draws from what the files say: their numbers have nine digits.
    records.store(&destination)?;
    draw(&mut records, destination, terminal)?;
    Ok(records)
}

/// Draws charts and report from `records`, writes them and `run.json`, and moves all files to their folder.
pub(crate) fn draw(
    records: &mut Records,
    destination: Destination,
    terminal: &Terminal,
) -> Result<(), Failure> {
    terminal.begin("drawing", 1);
    let drawn = page::files(records);
    terminal.step();
    terminal.finish();
    let stored = records.files().map(|file| file.name).chain([RUN]);
    let mut names: Vec<String> = stored.map(str::to_owned).collect();
    for (name, text) in drawn? {
        destination.write(&name, text.as_bytes())?;
        names.push(name);
    }
    names.sort();
    records.run.files = names;
    let run = document::to_bytes(&records.run);
    destination.write(RUN, &run)?;
    records.run = document::parse(RUN.as_ref(), &run)?;
    if terminal.interrupt.requested() {
        return Err(Failure::Interrupted);
    }
    terminal.interrupt.ignore();
    destination.commit(&records.run.files)
}

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

    /// Reads `run.json` and, as far as they are kept, the files of times.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Records::read`].
    pub fn read_times(dir: &Path) -> Result<Self, Failure> {
        Self::read_files(dir, |file, path| file.timed && path.exists())
    }

    /// Reads `run.json` and the files that are kept: those of a committed run are not all.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Records::read`].
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
    fn store(&mut self, destination: &Destination) -> Result<(), Failure> {
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
