//! How a run gets to its folder: written beside it, moved when complete.

use crate::progress::Progress as _;
use crate::record::files::{Records, RecordsError};
use crate::record::folder::{Destination, OutputError, RUN, Staging};
use crate::report::render::{self, RenderError};

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
    *records = stored.map_err(|error| unwritten(&staging, error))?;
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
    drawn.map_err(|error| match error {
        RenderError::Io { path, source } => {
            let path = staging.destined(&path);
            Failure::internal(RenderError::Io { path, source })
        }
        other => Failure::internal(other),
    })?;
    if interrupt.requested() {
        return Err(Failure::Interrupted);
    }
    interrupt.ignore();
    staging.commit(&records.run).map_err(output)
}

/// How a command ends that could not write its records; the message names the file as it would have been.
pub fn unwritten(staging: &Staging, error: RecordsError) -> Failure {
    Failure::internal(match error {
        RecordsError::Io { path, source } => RecordsError::Io {
            path: staging.destined(&path),
            source,
        },
        other => other,
    })
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
pub fn output(error: OutputError) -> Failure {
    match error {
        OutputError::Refused { .. } => Failure::input(error),
        _ => Failure::internal(error),
    }
}
