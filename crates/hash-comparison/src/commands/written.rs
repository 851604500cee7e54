//! Writes a run to its folder: first beside it, moved when complete.

use crate::page::render;
use crate::questions::Records;
use records::document::RUN;
use records::folder::Destination;
use records::progress::Progress as _;

use records::bar::Terminal;
use records::failure::Failure;

/// Writes records, charts and report.
pub fn all(records: &mut Records, destination: Destination, terminal: &Terminal) -> Result<(), Failure> {
    records.run.files = files(records);
    destination.refuse_foreign(&records.run.files)?;
    terminal.begin("drawing", 1);
    let stored = records
        .write(destination.unfinished())
        .and_then(|()| Records::read(destination.unfinished()));
    // Draws from the files just written: their numbers have nine digits, unlike those in memory.
    *records = stored.map_err(|error| destination.destined(error))?;
    finish(records, destination, terminal)
}

/// Draws charts and report from `records`, and moves them to their folder.
pub fn finish(records: &Records, destination: Destination, terminal: &Terminal) -> Result<(), Failure> {
    let drawn = render::render(records, destination.unfinished());
    terminal.step();
    terminal.finish();
    drawn.map_err(|error| destination.destined(error))?;
    if terminal.interrupt.requested() {
        return Err(Failure::Interrupted);
    }
    terminal.interrupt.ignore();
    Ok(destination.commit(&records.run.files)?)
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
