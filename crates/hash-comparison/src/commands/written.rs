//! Writes a run to its folder: staged next to it, moved when complete.

use crate::page::render;
use crate::questions::Records;
use records::document::RUN;
use records::folder::{Destination, Staging};
use records::progress::Progress as _;

use records::bar::Terminal;
use records::failure::Failure;

/// Writes records, charts and report.
pub fn all(records: &mut Records, destination: Destination, terminal: &Terminal) -> Result<(), Failure> {
    records.run.files = files(records);
    destination.refuse_foreign(&records.run.files)?;
    terminal.begin("drawing", 1);
    let staging = destination.stage()?;
    let stored = records
        .write(staging.path())
        .and_then(|()| Records::read(staging.path()));
    // Draws from the files just written: their numbers have nine digits, unlike those in memory.
    *records = stored.map_err(|error| staging.destined(error))?;
    finish(records, staging, terminal)
}

/// Draws charts and report from `records`, and moves them to their folder.
pub fn finish(records: &Records, staging: Staging, terminal: &Terminal) -> Result<(), Failure> {
    let drawn = render::render(records, staging.path());
    terminal.step();
    terminal.finish();
    drawn.map_err(|error| staging.destined(error))?;
    if terminal.interrupt.requested() {
        return Err(Failure::Interrupted);
    }
    terminal.interrupt.ignore();
    Ok(staging.commit(&records.run.files)?)
}

/// Returns the names of all files that belong to the run of `records`, sorted.
pub fn files(records: &Records) -> Vec<String> {
    let mut files = render::file_names(records);
    files.extend(
        records
            .files()
            .map(|file| file.name)
            .chain([RUN])
            .map(str::to_owned),
    );
    files.sort();
    files.dedup();
    files
}
