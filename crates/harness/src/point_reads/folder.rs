//! Where a benchmark may write: a folder that is absent, empty, or holds a `bench.json` of this program.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::{BATCHES_HEADER, Batch, POINT_READS_HEADER, read_rows, summarize};
use crate::chart;
use crate::output::OutputError;
use crate::record::Environment;
use crate::records::{RecordsError, write_rows};

/// Name of the file that makes a folder ours.
pub const MARKER: &str = "bench.json";
/// Every file that a benchmark writes.
pub const FILES: [&str; 5] = [MARKER, BATCHES, POINT_READS, SVG, PNG];

const BATCHES: &str = "batches.csv";
const POINT_READS: &str = "point_reads.csv";
const SVG: &str = "point-reads.svg";
const PNG: &str = "point-reads.png";

const FORMAT: &str = "point-reads-bench";
const SCHEMA: u32 = 1;

/// `bench.json`: what the CSV files do not say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bench {
    /// Always `point-reads-bench`.
    format: String,
    /// Version of the records, 1.
    schema: u32,
    /// Name and version of the program.
    generator: String,
    /// The command line that repeats this run.
    command: String,
    /// Start of the run, UTC, RFC 3339.
    date: String,
    /// Whether it was a quick run, whose figures are not to be quoted.
    quick: bool,
    /// The machine, and the build of this program; the benchmark programs are built by the same compiler, optimised.
    environment: Environment,
}

impl Bench {
    /// The record of a run with this command line.
    pub fn new(command: String, date: String, quick: bool, environment: Environment) -> Self {
        Self {
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            generator: format!("harness {}", env!("CARGO_PKG_VERSION")),
            command,
            date,
            quick,
            environment,
        }
    }
}

/// A folder that a benchmark may write.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Checks `path`, and that something can be written there. Nothing is left changed.
    ///
    /// # Errors
    ///
    /// [`OutputError::Refused`] for a file, for a folder that holds something and no `bench.json` of ours, and where
    /// nothing can be written.
    pub fn check(path: &Path) -> Result<Self, OutputError> {
        let refused = |reason: String| OutputError::Refused {
            path: path.to_owned(),
            reason,
        };
        let absolute = std::path::absolute(path).map_err(|error| refused(error.to_string()))?;
        match fs::read_dir(&absolute) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    is_ours(&absolute.join(MARKER)).map_err(refused)?;
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(refused(format!("{error}; choose another folder"))),
        }
        let nearest = absolute
            .ancestors()
            .find(|ancestor| ancestor.exists())
            .unwrap_or(&absolute);
        stage(nearest).map_err(|error| refused(format!("cannot write in {}: {error}", nearest.display())))?;
        Ok(Self { path: absolute })
    }

    /// The folder, absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Checks a marker; the error says what to do.
fn is_ours(marker: &Path) -> Result<(), String> {
    let bytes = match fs::read(marker) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(format!(
                "is not empty and holds no {MARKER} of ours; choose an empty or new folder"
            ));
        }
        Err(error) => return Err(format!("{MARKER}: {error}")),
    };
    match serde_json::from_slice::<serde_json::Value>(&bytes) {
        Ok(value) if value["format"] == FORMAT && value["schema"] == SCHEMA => Ok(()),
        _ => Err(format!(
            "{MARKER} is not of this version of this program; remove the folder, or choose another"
        )),
    }
}

fn stage(folder: &Path) -> std::io::Result<TempDir> {
    tempfile::Builder::new()
        .prefix(".point-reads-")
        .tempdir_in(folder)
}

/// Writes records and chart, and moves them to `folder` when complete.
///
/// The chart shows what `point_reads.csv` says, with its nine digits.
///
/// # Errors
///
/// When the batches contradict each other ([`OutputError::Refused`] with their file), when the folder is no longer
/// ours to write, and when the system fails.
pub fn write(
    folder: &Folder,
    bench: &Bench,
    batches: &[Batch],
) -> Result<Vec<super::PointReads>, OutputError> {
    let path = Folder::check(&folder.path)?.path;
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| OutputError::Io { path, source }
    };
    fs::create_dir_all(&path).map_err(io(&path))?;
    // Inside, so that it is one file system.
    let staging = stage(&path).map_err(io(&path))?;
    let staged = |name: &str| staging.path().join(name);
    let refused = |name: &str| {
        let path = path.join(name);
        move |reason| OutputError::Refused { path, reason }
    };

    write_rows(&staged(BATCHES), &BATCHES_HEADER, batches).map_err(record)?;
    let rows = summarize(batches).map_err(refused(BATCHES))?;
    write_rows(&staged(POINT_READS), &POINT_READS_HEADER, &rows).map_err(record)?;
    let rows = read_rows(&staged(POINT_READS)).map_err(record)?;
    let scene = chart::point_reads(&rows).ok_or_else(|| refused(BATCHES)("holds no batch".to_owned()))?;
    let element = chart::svg(&scene).map_err(refused(SVG))?;
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!-- Written by harness {} (cargo xtask bench) from {POINT_READS} of schema {SCHEMA}; do not edit. -->\n{element}",
        env!("CARGO_PKG_VERSION")
    );
    fs::write(staged(SVG), document).map_err(io(&path.join(SVG)))?;
    let png = chart::png(&scene).map_err(refused(PNG))?;
    fs::write(staged(PNG), png).map_err(io(&path.join(PNG)))?;
    let mut marker =
        serde_json::to_string_pretty(bench).map_err(|error| refused(MARKER)(error.to_string()))?;
    marker.push('\n');
    fs::write(staged(MARKER), marker).map_err(io(&path.join(MARKER)))?;

    // The marker first: from then on the folder is ours, even if the rest is not moved.
    for name in FILES {
        fs::rename(staged(name), path.join(name)).map_err(io(&path.join(name)))?;
    }
    Ok(rows)
}

fn record(error: RecordsError) -> OutputError {
    match error {
        RecordsError::Io { path, source } => OutputError::Io { path, source },
        RecordsError::Foreign { path, reason } | RecordsError::Malformed { path, reason } => {
            OutputError::Refused { path, reason }
        }
    }
}
