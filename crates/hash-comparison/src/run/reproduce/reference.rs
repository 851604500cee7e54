//! The committed run: its deterministic files are written again and compared byte by byte.

use std::fs;
use std::path::Path;

use crate::page::render;
use crate::questions::{FILES, Records};
use records::error::Error;
use records::table;

/// A deterministic file of the committed run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCheck {
    /// Path relative to the run's folder.
    pub name: String,
    /// The result of the comparison.
    pub state: FileState,
}

/// The result of comparing a file of the committed run with the file written now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// Byte for byte the same.
    Equal,
    /// The committed run does not have it, or it cannot be read.
    Missing,
    /// Different from this line on, counted from 1.
    Differs {
        /// The first line that differs.
        line: usize,
        /// The line as committed; empty at the end of the file.
        committed: String,
        /// The line as it is now.
        now: String,
    },
}

impl FileCheck {
    pub(super) fn disagreement(&self) -> Option<String> {
        match &self.state {
            FileState::Equal => None,
            FileState::Missing => Some(format!("{}: missing in the committed run", self.name)),
            FileState::Differs { .. } if self.name.ends_with(".png") => {
                Some(format!("{}: other bytes than in the committed run", self.name))
            }
            FileState::Differs { line, committed, now } => Some(format!(
                "{}, line {line}: {now:?}, in the committed run {committed:?}",
                self.name
            )),
        }
    }
}

/// Returns the error for a committed run that cannot be read.
pub(super) fn unreadable(error: Error) -> Error {
    Error::internal(format!("committed run: {error}"))
}

/// Compares the deterministic files of `now` with those in `dir`, charts included.
///
/// The charts that show times are not compared.
///
/// # Errors
///
/// Returns an error if the scratch folder fails or a chart cannot be drawn.
pub(super) fn checks(dir: &Path, committed: &Records, mut now: Records) -> Result<Vec<FileCheck>, Error> {
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
    let check = |(name, fresh): (String, Vec<u8>)| FileCheck {
        state: table::bytes_of(&dir.join(&name)).map_or(FileState::Missing, |stored| state(&stored, &fresh)),
        name,
    };
    Ok(fresh.into_iter().map(check).collect())
}

fn state(committed: &[u8], now: &[u8]) -> FileState {
    if committed == now {
        return FileState::Equal;
    }
    let lines = |bytes: &'_ [u8]| -> Vec<String> {
        let line = |line: &[u8]| String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
        bytes.split(|&byte| byte == b'\n').map(line).collect()
    };
    let (committed, now) = (lines(committed), lines(now));
    let at = (0..committed.len().max(now.len()))
        .find(|&index| committed.get(index) != now.get(index))
        // Lines are cut for print, so the difference may lie beyond.
        .unwrap_or(0);
    let line = |lines: &[String]| lines.get(at).cloned().unwrap_or_default();
    FileState::Differs {
        line: at + 1,
        committed: line(&committed),
        now: line(&now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_different_line_is_told() {
        assert_eq!(state(b"a\nb\n", b"a\nb\n"), FileState::Equal);
        let differs = |line, committed: &str, now: &str| FileState::Differs {
            line,
            committed: committed.to_owned(),
            now: now.to_owned(),
        };
        assert_eq!(state(b"a\nb\nc\n", b"a\nx\nc\n"), differs(2, "b", "x"));
        assert_eq!(state(b"a\nb\n", b"a\nb\nc\n"), differs(3, "", "c"));
        assert_eq!(state(b"a\xff\n", b"a\n"), differs(1, "a\u{fffd}", "a"));
    }
}
