//! How a run gets to its folder: written beside it, moved when complete.

use crate::error::Error;
use crate::progress::Progress as _;
use crate::record::files::Records;
use crate::record::folder::{Destination, RUN, Staging};
use crate::report::render;

use crate::interrupt::Interrupt;
use crate::terminal::Terminal;
use filter_tools::failure::Failure;

/// Writes records, charts and report.
///
/// # Errors
///
/// When the system fails, or the run is stopped.
pub fn all(
    records: &mut Records,
    destination: Destination,
    terminal: &Terminal<'_>,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    records.run.files = files(records);
    destination.refuse_foreign(&records.run.files).map_err(output)?;
    terminal.begin("drawing", 1);
    let staging = destination.stage().map_err(output)?;
    let stored = records
        .write(staging.path())
        .and_then(|()| Records::read(staging.path()));
    // What is drawn is what the files say: numbers with nine digits, not those in memory.
    *records = stored.map_err(|error| Failure::internal(staging.destined(error)))?;
    finish(records, staging, terminal, interrupt)
}

/// Draws charts and report from `records`, and moves them to their folder.
///
/// # Errors
///
/// When the system fails, or the run is stopped.
pub fn finish(
    records: &Records,
    staging: Staging,
    terminal: &Terminal<'_>,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let drawn = render::render(records, staging.path());
    terminal.step();
    terminal.finish();
    drawn.map_err(|error| Failure::internal(staging.destined(error)))?;
    if interrupt.requested() {
        return Err(Failure::Interrupted);
    }
    interrupt.ignore();
    staging.commit(&records.run).map_err(output)
}

/// Every file that belongs to the run of `records`, sorted.
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

/// A folder that is not ours is the user's choice; a disk that is full is not.
pub fn output(error: Error) -> Failure {
    if error.is_input() {
        Failure::input(error)
    } else {
        Failure::internal(error)
    }
}
