//! All records of a run, in memory and on disk.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::record::{CollisionRow, DistributionRow, FORMAT, FalsePositiveRow, Run, SCHEMA, TimingRow};

/// Everything that one run recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Records {
    /// `run.json`.
    pub run: Run,
    /// `collisions.csv`.
    pub collisions: Vec<CollisionRow>,
    /// `timing.csv`.
    pub timing: Vec<TimingRow>,
    /// `latency.csv`.
    pub latency: Vec<TimingRow>,
    /// `distribution.csv`.
    pub distribution: Vec<DistributionRow>,
    /// `false_positives.csv`.
    pub false_positives: Vec<FalsePositiveRow>,
}

/// Why records could not be read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordsError {
    /// The file could not be opened, read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not what this program writes.
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, field and what is allowed.
        reason: String,
    },
}

impl std::fmt::Display for RecordsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Malformed { path, reason } => write!(f, "{}: {reason}", path.display()),
        }
    }
}

impl std::error::Error for RecordsError {}

impl Records {
    /// Reads the records in `dir`.
    ///
    /// # Errors
    ///
    /// When a file is missing, unreadable, malformed, or of another program or schema.
    pub fn read(dir: &Path) -> Result<Self, RecordsError> {
        Ok(Self {
            run: read_run(&dir.join("run.json"))?,
            collisions: read_csv(&dir.join("collisions.csv"))?,
            timing: read_csv(&dir.join("timing.csv"))?,
            latency: read_csv(&dir.join("latency.csv"))?,
            distribution: read_csv(&dir.join("distribution.csv"))?,
            false_positives: read_csv(&dir.join("false_positives.csv"))?,
        })
    }

    /// Writes the records into `dir`, which must exist.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn write(&self, dir: &Path) -> Result<(), RecordsError> {
        write_csv(&dir.join("collisions.csv"), &self.collisions)?;
        write_csv(&dir.join("timing.csv"), &self.timing)?;
        write_csv(&dir.join("latency.csv"), &self.latency)?;
        write_csv(&dir.join("distribution.csv"), &self.distribution)?;
        write_csv(&dir.join("false_positives.csv"), &self.false_positives)?;
        let path = dir.join("run.json");
        let mut text = serde_json::to_string_pretty(&self.run).map_err(|e| malformed(&path, &e))?;
        text.push('\n');
        std::fs::write(&path, text).map_err(|source| RecordsError::Io { path, source })
    }
}

/// Reads a `run.json` alone and checks whose it is.
///
/// # Errors
///
/// When it is missing, unreadable, damaged, or of another program or schema.
pub fn read_run(path: &Path) -> Result<Run, RecordsError> {
    let text = std::fs::read_to_string(path).map_err(|source| RecordsError::Io {
        path: path.to_owned(),
        source,
    })?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|e| malformed(path, &e))?;
    let format = value.get("format").and_then(serde_json::Value::as_str);
    if format != Some(FORMAT) {
        return Err(malformed(
            path,
            &format!("\"format\" is {format:?}, not {FORMAT:?}: not a run of this program"),
        ));
    }
    let schema = value.get("schema").and_then(serde_json::Value::as_u64);
    if schema != Some(u64::from(SCHEMA)) {
        return Err(malformed(
            path,
            &format!("\"schema\" is {schema:?}; this version reads {SCHEMA}"),
        ));
    }
    serde_json::from_value(value).map_err(|e| malformed(path, &e))
}

fn malformed(path: &Path, reason: &dyn std::fmt::Display) -> RecordsError {
    RecordsError::Malformed {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

fn read_csv<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, RecordsError> {
    let file = File::open(path).map_err(|source| RecordsError::Io {
        path: path.to_owned(),
        source,
    })?;
    csv::Reader::from_reader(BufReader::new(file))
        .into_deserialize()
        .collect::<Result<_, _>>()
        .map_err(|e| malformed(path, &e))
}

fn write_csv<T: Serialize>(path: &Path, rows: &[T]) -> Result<(), RecordsError> {
    let io = |source| RecordsError::Io {
        path: path.to_owned(),
        source,
    };
    let mut writer = csv::Writer::from_writer(BufWriter::new(File::create(path).map_err(io)?));
    for row in rows {
        writer.serialize(row).map_err(|e| malformed(path, &e))?;
    }
    let mut inner = writer.into_inner().map_err(|e| io(e.into_error()))?;
    inner.flush().map_err(io)
}
