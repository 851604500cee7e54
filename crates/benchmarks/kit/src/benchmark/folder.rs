//! Where a benchmark may write: a folder that is absent, empty, or holds a `bench.json` of this program.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::table::{Record, read};
use crate::chart::{self, scene::Scene};
use hash_comparison::record::folder::OutputError;
use hash_comparison::record::Environment;
use hash_comparison::record::files::{self, RecordsError};

/// Name of the file that makes a folder ours.
pub const MARKER: &str = "bench.json";
/// The file of the batches as they were measured.
const BATCHES: &str = "batches.csv";

/// Which benchmark a folder's records are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Name in `bench.json`.
    pub(crate) name: &'static str,
    /// Version of the records.
    pub(crate) schema: u32,
    /// Name of the file of medians and ratios, and of the charts, without extensions.
    pub(crate) rows: &'static str,
    pub(crate) chart: &'static str,
}

impl Format {
    /// Every file that a benchmark of this format writes, the marker first.
    pub(crate) fn files(self) -> [String; 5] {
        [
            MARKER.to_owned(),
            BATCHES.to_owned(),
            format!("{}.csv", self.rows),
            format!("{}.svg", self.chart),
            format!("{}.png", self.chart),
        ]
    }
}

/// `bench.json`: what the CSV files do not say.
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
    /// Whether it was a quick run, whose figures are not to be quoted.
    quick: bool,
    /// The machine, and the build of this program; the benchmark programs are built by the same compiler, optimised.
    environment: Environment,
}

impl Bench {
    /// The record of a run with this command line.
    pub fn new(format: Format, command: String, date: String, quick: bool, environment: Environment) -> Self {
        Self {
            format: format.name.to_owned(),
            schema: format.schema,
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
    format: Format,
}

impl Folder {
    /// Checks `path`, and that records of this format can be written there. Nothing is left changed.
    ///
    /// # Errors
    ///
    /// [`OutputError::Refused`] for a file, for a folder that holds something and no `bench.json` of this format, and
    /// where nothing can be written.
    pub fn check(path: &Path, format: Format) -> Result<Self, OutputError> {
        let refused = |reason: String| OutputError::Refused {
            path: path.to_owned(),
            reason,
        };
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
        let nearest = absolute
            .ancestors()
            .find(|ancestor| ancestor.exists())
            .unwrap_or(&absolute);
        stage(nearest).map_err(|error| refused(format!("cannot write in {}: {error}", nearest.display())))?;
        Ok(Self {
            path: absolute,
            format,
        })
    }

    /// The folder, absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Checks a marker; the error says what to do.
fn is_ours(marker: &Path, format: Format) -> Result<(), String> {
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
        Ok(value) if value["format"] == format.name && value["schema"] == format.schema => Ok(()),
        _ => Err(format!(
            "{MARKER} is not of this version of this benchmark; remove the folder, or choose another"
        )),
    }
}

fn stage(folder: &Path) -> std::io::Result<TempDir> {
    tempfile::Builder::new().prefix(".bench-").tempdir_in(folder)
}

/// Writes records and chart, and moves them to `folder` when complete.
///
/// `summarize` makes the rows from the batches, `scene` the chart from the rows as they are in their file, with its nine
/// digits.
///
/// # Errors
///
/// When the batches contradict each other ([`OutputError::Refused`] with their file), when the folder is no longer
/// ours to write, and when the system fails.
pub(crate) fn write<B: Record, R: Record>(
    folder: &Folder,
    bench: &Bench,
    batches: &[B],
    summarize: impl FnOnce(&[B]) -> Result<Vec<R>, String>,
    scene: impl FnOnce(&[R]) -> Option<Scene>,
) -> Result<Vec<R>, OutputError> {
    let format = folder.format;
    let path = Folder::check(&folder.path, format)?.path;
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
    let names = format.files();
    let [marker, batches_name, rows_name, svg, png] = names.each_ref().map(String::as_str);

    records::write_rows(&staged(batches_name), B::HEADER, batches).map_err(record)?;
    let rows = summarize(batches).map_err(refused(batches_name))?;
    records::write_rows(&staged(rows_name), R::HEADER, &rows).map_err(record)?;
    let rows: Vec<R> = read(&staged(rows_name)).map_err(record)?;
    let scene = scene(&rows).ok_or_else(|| refused(batches_name)("holds no batch".to_owned()))?;
    let painted = Painted {
        scene: &scene,
        rows_name,
        schema: format.schema,
    };
    painted.write(&staged(svg), &staged(png), &path)?;
    write_marker(&staged(marker), &path, bench)?;

    // The marker first: from then on the folder is ours, even if the rest is not moved.
    for name in &names {
        fs::rename(staged(name), path.join(name)).map_err(io(&path.join(name)))?;
    }
    Ok(rows)
}

/// A chart and the records that it is drawn from.
struct Painted<'a> {
    scene: &'a Scene,
    rows_name: &'a str,
    schema: u32,
}

impl Painted<'_> {
    /// Writes both kinds of file; they are to lie in `folder`.
    fn write(&self, svg: &Path, png: &Path, folder: &Path) -> Result<(), OutputError> {
        let place = |staged: &Path| folder.join(staged.file_name().unwrap_or_default());
        let refused = |staged: &Path| {
            let path = place(staged);
            move |reason| OutputError::Refused { path, reason }
        };
        let io = |staged: &Path| {
            let path = place(staged);
            move |source| OutputError::Io { path, source }
        };
        let element = chart::svg(self.scene).map_err(refused(svg))?;
        let document = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <!-- Written by harness {} (cargo xtask bench) from {} of schema {}; do not edit. -->\n{element}",
            env!("CARGO_PKG_VERSION"),
            self.rows_name,
            self.schema
        );
        fs::write(svg, document).map_err(io(svg))?;
        let picture = chart::png(self.scene).map_err(refused(png))?;
        fs::write(png, picture).map_err(io(png))
    }
}

/// Writes records that come without batches, with any number of charts, and moves them to `folder` when complete.
///
/// `scenes` makes the charts, with their file names, from the rows as they are in their file, with its nine digits.
///
/// # Errors
///
/// When the folder is no longer ours to write, and when the system fails.
pub(crate) fn write_rows<R: Record>(
    folder: &Folder,
    bench: &Bench,
    rows: &[R],
    scenes: impl FnOnce(&[R]) -> Vec<(&'static str, Scene)>,
) -> Result<(), OutputError> {
    let format = folder.format;
    let path = Folder::check(&folder.path, format)?.path;
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| OutputError::Io { path, source }
    };
    fs::create_dir_all(&path).map_err(io(&path))?;
    let staging = stage(&path).map_err(io(&path))?;
    let staged = |name: &str| staging.path().join(name);
    let rows_name = format!("{}.csv", format.rows);
    records::write_rows(&staged(&rows_name), R::HEADER, rows).map_err(record)?;
    let rows: Vec<R> = read(&staged(&rows_name)).map_err(record)?;
    let mut names = vec![MARKER.to_owned(), rows_name.clone()];
    for (name, scene) in scenes(&rows) {
        let painted = Painted {
            scene: &scene,
            rows_name: &rows_name,
            schema: format.schema,
        };
        let (svg, png) = (format!("{name}.svg"), format!("{name}.png"));
        painted.write(&staged(&svg), &staged(&png), &path)?;
        names.extend([svg, png]);
    }
    write_marker(&staged(MARKER), &path, bench)?;
    for name in &names {
        fs::rename(staged(name), path.join(name)).map_err(io(&path.join(name)))?;
    }
    Ok(())
}

/// Writes `bench.json` to `staged`; it is to lie in `folder`.
fn write_marker(staged: &Path, folder: &Path, bench: &Bench) -> Result<(), OutputError> {
    let path = folder.join(MARKER);
    let mut json = match serde_json::to_string_pretty(bench) {
        Ok(json) => json,
        Err(error) => {
            let reason = error.to_string();
            return Err(OutputError::Refused { path, reason });
        }
    };
    json.push('\n');
    fs::write(staged, json).map_err(|source| OutputError::Io { path, source })
}

fn record(error: RecordsError) -> OutputError {
    match error {
        RecordsError::Io { path, source } => OutputError::Io { path, source },
        RecordsError::Foreign { path, reason } | RecordsError::Malformed { path, reason } => {
            OutputError::Refused { path, reason }
        }
    }
}
