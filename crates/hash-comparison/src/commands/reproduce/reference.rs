//! The committed run: its deterministic files are written again and compared byte by byte.

use std::fs;
use std::path::Path;

use super::{Section, columns};
use crate::page::render;
use crate::questions::{FILES, Records};
use records::error::Error;
use records::{table, terminal};

/// Returns the error for a committed run that cannot be read.
pub(super) fn unreadable(error: Error) -> Error {
    Error::internal(format!("committed run: {error}"))
}

/// Compares the deterministic files of `now` with those in `dir`, charts included. Charts that show times are left out.
pub(super) fn section(dir: &Path, committed: &Records, mut now: Records) -> Result<Section, Error> {
    let scratch = tempfile::tempdir().map_err(Error::system(&std::env::temp_dir()))?;
    // Every chart is drawn, which needs times: those of the committed run. All rows pass through their file's form,
    // since charts are drawn from nine digits, and a sixteenth can change the shade of a pixel.
    for file in FILES {
        let bytes = (file.bytes)(if file.timed { committed } else { &now });
        (file.parse)(&mut now, &dir.join(file.name), &bytes).map_err(unreadable)?;
    }
    render::render(&now, scratch.path())?;
    let mut fresh: Vec<(String, Vec<u8>)> = FILES
        .iter()
        .filter(|file| !file.timed)
        .map(|file| (file.name.to_owned(), (file.bytes)(&now)))
        .collect();
    for name in render::deterministic_charts(&now) {
        let path = scratch.path().join(&name);
        let bytes = fs::read(&path).map_err(Error::system(&path))?;
        fresh.push((name, bytes));
    }
    let mut disagreements = Vec::new();
    let rows = fresh.into_iter().map(|(name, fresh)| {
        let state = match table::bytes_of(&dir.join(&name)) {
            Ok(stored) if stored == fresh => return [name, "equal".to_owned()],
            Ok(_) => "other bytes than now",
            Err(_) => "missing",
        };
        disagreements.push(format!("{name}: {state} in the committed run"));
        [name, state.to_owned()]
    });
    let rows: Vec<[String; 2]> = rows.collect();
    let table = terminal::table(columns("file | state"), &[], rows);
    Ok(Section {
        text: format!("\nThe committed run, byte for byte\n{table}\n"),
        disagreements,
    })
}
