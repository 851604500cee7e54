//! The report of a run: shown on a terminal, and written to its folder, first next to it, moved when complete.

pub mod summary;

use std::fmt;
use std::path::Path;

use crate::files::KIND;
use crate::page;
use crate::questions::Records;
use records::document::{self, RUN};
use records::folder::Destination;
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
