//! The committed run: its deterministic files are written anew and compared byte by byte.

use std::fs;
use std::path::Path;

use super::ReproduceError;
use crate::record::files::{Records, checksum};
use crate::record::{BitTests, SCHEMA_WITH_SPREAD, Structure};
use crate::report::render;
use crate::run::quality::Quality;

/// A deterministic file of the committed run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCheck {
    /// Relative to the run's folder.
    pub name: String,
    /// How it compares.
    pub state: FileState,
}

/// How a file of the committed run compares with the one written now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// Byte for byte the same.
    Equal,
    /// The committed run does not have it, or it cannot be read.
    Missing,
    /// The same, but `run.json` has another checksum for it.
    Checksum {
        /// As committed; `None` where it has none.
        committed: Option<String>,
        /// As it is now.
        now: String,
    },
    /// Different from this line on, counted from 1.
    Differs {
        /// The first line that differs.
        line: usize,
        /// That line as committed; empty at the end of the file.
        committed: String,
        /// That line as it is now.
        now: String,
    },
}

impl FileCheck {
    pub(super) fn disagreement(&self) -> Option<String> {
        match &self.state {
            FileState::Equal => None,
            FileState::Missing => Some(format!("{}: missing in the committed run", self.name)),
            FileState::Checksum { committed, now } => Some(format!(
                "{}: its SHA-256 is {now}, run.json of the committed run says {}",
                self.name,
                committed.as_deref().unwrap_or("nothing")
            )),
            FileState::Differs { line, committed, now } => Some(format!(
                "{}, line {line}: {now:?}, in the committed run {committed:?}",
                self.name
            )),
        }
    }
}

/// Writes the deterministic files of `quality`, `bits` and `structure` anew, in a scratch folder, and compares them with those
/// in `dir`.
///
/// Times and environment are those of `committed`; the charts that show them are not compared.
///
/// # Errors
///
/// When the scratch folder fails or a chart cannot be drawn.
pub(super) fn checks(
    dir: &Path,
    committed: &Records,
    quality: &Quality,
    bits: BitTests,
    structure: Structure,
) -> Result<Vec<FileCheck>, ReproduceError> {
    let scratch = tempfile::tempdir().map_err(|source| ReproduceError::Scratch {
        path: std::env::temp_dir(),
        source,
    })?;
    let mut now = committed.clone();
    now.collisions.clone_from(&quality.collisions);
    now.distribution.clone_from(&quality.distribution);
    now.false_positives.clone_from(&quality.false_positives);
    now.bits = Some(bits);
    now.structure = Some(structure);
    now.write(scratch.path()).map_err(ReproduceError::Reference)?;
    render::render(&now, scratch.path()).map_err(ReproduceError::Render)?;

    let names = now
        .deterministic_files()
        .map(str::to_owned)
        .chain(render::deterministic_charts(&now));
    names
        .map(|name| {
            let path = scratch.path().join(&name);
            let fresh = fs::read(&path).map_err(|source| ReproduceError::Scratch { path, source })?;
            let state = match fs::read(dir.join(&name)) {
                Ok(stored) => match state(&stored, &fresh) {
                    FileState::Equal => summed(&name, committed, &fresh),
                    other => other,
                },
                Err(_) => FileState::Missing,
            };
            Ok(FileCheck { name, state })
        })
        .collect()
}

/// Checks the committed checksum of a file that is otherwise equal; runs of schema 1 have none, charts never have.
fn summed(name: &str, committed: &Records, fresh: &[u8]) -> FileState {
    if committed.run.schema < SCHEMA_WITH_SPREAD || !committed.deterministic_files().any(|file| file == name)
    {
        return FileState::Equal;
    }
    let (stored, now) = (committed.run.checksums.get(name), checksum(fresh));
    if stored == Some(&now) {
        FileState::Equal
    } else {
        FileState::Checksum {
            committed: stored.cloned(),
            now,
        }
    }
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
