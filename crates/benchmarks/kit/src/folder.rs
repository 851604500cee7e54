//! The output folder of a benchmark: absent, empty, or with a `bench.json` of this program.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::record::{Batch, Row};
use crate::suite::{Format, Suite};
use crate::table;
use records::environment::{self, Environment};
use serde::{Deserialize, Serialize};

/// Name of the file that marks a folder as ours.
pub const MARKER: &str = "bench.json";

/// `bench.json`: the facts that are not in the CSV files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bench {
    /// Name of the benchmark's format.
    format: String,
    /// Version of the records.
    schema: u32,
    /// Name and version of the program.
    generator: String,
    /// The command line that repeats this run.
    command: String,
    /// Start of the run, UTC, RFC 3339.
    date: String,
    /// Set for a quick run, whose figures must not be quoted.
    quick: bool,
    /// The machine, and the build of this program. The benchmark programs are optimised builds of the same compiler.
    environment: Environment,
}

impl Bench {
    /// Builds the record of a run that starts now, on this machine.
    pub fn now(format: Format, command: String, quick: bool) -> Self {
        Self {
            format: format.name.to_owned(),
            schema: format.schema,
            generator: format!("bench {}", env!("CARGO_PKG_VERSION")),
            command,
            date: environment::now_utc(),
            quick,
            environment: environment::collect(),
        }
    }
}

/// Checks that records of this format can be written to a folder, and returns its absolute path. Changes nothing.
///
/// # Errors
///
/// If `path` is a file, a non-empty folder without a `bench.json` of this format, or not writable.
pub fn check(path: &Path, format: Format) -> Result<PathBuf, String> {
    let refused = |reason: String| format!("{}: {reason}", path.display());
    let absolute = std::path::absolute(path).map_err(|error| refused(error.to_string()))?;
    match fs::read_dir(&absolute) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                is_ours(&absolute.join(MARKER), format).map_err(refused)?;
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(refused(format!("{error}; choose another folder"))),
    }
    let mut ancestors = absolute.ancestors();
    let nearest = ancestors.find(|ancestor| ancestor.exists()).unwrap_or(&absolute);
    tempfile::tempdir_in(nearest)
        .map_err(|error| refused(format!("cannot write in {}: {error}", nearest.display())))?;
    Ok(absolute)
}

impl Suite {
    /// Returns the name and bytes of the chart's file; `None` if there is nothing to draw.
    pub fn drawn(&self, rows: &[Row]) -> Option<(String, Vec<u8>)> {
        let scene = self.chart?.scene(&self.summary, rows)?;
        let (rows, schema) = (self.format.rows, self.format.schema);
        let svg = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <!-- Written by cargo xtask bench from {rows}.csv of schema {schema}; do not edit. -->\n{}",
            plots::svg(&scene)
        );
        Some((format!("{rows}.svg"), svg.into_bytes()))
    }

    /// Reads a program's batches, writes records and the chart to `folder`, and returns the summary.
    ///
    /// # Errors
    ///
    /// If the program's file is invalid, the folder may no longer be written to, or an operation on files fails.
    pub fn write(&self, folder: &Path, bench: &Bench, csv: &Path) -> Result<String, String> {
        let batches: Vec<Batch> = table::read(self, csv)?;
        let rows = self.rows(&batches)?;
        let folder = check(folder, self.format)?;
        let failed =
            |name: &str, error: &dyn std::fmt::Display| format!("{}: {error}", folder.join(name).display());
        fs::create_dir_all(&folder).map_err(|error| failed("", &error))?;
        let mut json = serde_json::to_vec_pretty(bench).map_err(|error| failed(MARKER, &error))?;
        json.push(b'\n');
        let files = [
            // The marker comes first: it marks the folder as ours even if writing the rest fails.
            (MARKER.to_owned(), json),
            ("batches.csv".to_owned(), table::to_bytes(self, &batches)),
            (format!("{}.csv", self.format.rows), table::to_bytes(self, &rows)),
        ];
        for (name, bytes) in files.into_iter().chain(self.drawn(&rows)) {
            fs::write(folder.join(&name), bytes).map_err(|error| failed(&name, &error))?;
        }
        Ok(self.summary.text(&rows))
    }
}

/// Checks that a marker is of this format; the error tells the user what to do.
fn is_ours(marker: &Path, format: Format) -> Result<(), String> {
    let bytes = match fs::read(marker) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(format!(
                "must be empty or hold a {MARKER} of this program; choose an empty or new folder"
            ));
        }
        Err(error) => return Err(format!("{MARKER}: {error}")),
    };
    match serde_json::from_slice::<serde_json::Value>(&bytes) {
        Ok(value) if value["format"] == format.name && value["schema"] == format.schema => Ok(()),
        _ => Err(format!(
            "{MARKER} is not of this version of this benchmark; remove the folder, or choose another"
        )),
    }
}
