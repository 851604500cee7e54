//! The report of a run: shown on a terminal, and written to its folder, first next to it, moved when complete.

pub mod summary;

use std::fmt;
use std::path::Path;

use crate::page::drawing;
use crate::questions::Records;
use crate::questions::files::KIND;
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
    let stored = records.write(destination.unfinished());
    stored.map_err(|error| destination.destined(error))?;
    draw(&mut records, destination, terminal)?;
    Ok(records)
}

/// Draws charts and report from `records`, and moves them to their folder.
pub(crate) fn draw(
    records: &mut Records,
    destination: Destination,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let folder = destination.unfinished();
    terminal.begin("drawing", 1);
    let drawn = drawing::write(records, folder).and_then(|mut files| {
        let stored = records.files().map(|file| file.name).chain([RUN]);
        files.extend(stored.map(str::to_owned));
        files.sort();
        records.run.files = files;
        records.run = document::write(&folder.join(RUN), &records.run)?;
        Ok(())
    });
    terminal.step();
    terminal.finish();
    drawn.map_err(|error| destination.destined(error))?;
    if terminal.interrupt.requested() {
        return Err(Failure::Interrupted);
    }
    terminal.interrupt.ignore();
    Ok(destination.commit(&records.run.files)?)
}
