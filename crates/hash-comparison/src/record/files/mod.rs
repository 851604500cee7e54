//! All records of a run, in memory and on disk.

mod bits;
mod check;
mod recommended;
mod spelled;
mod structure;
mod table;

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

pub use self::check::{MOST_DATASETS, MOST_FUNCTIONS};
pub(crate) use self::spelled::{About, AnyRow, DETERMINISTIC_ROWS};
pub use self::structure::STRUCTURE_FILES;
use self::table::{Row, read_csv, write_csv};
pub(crate) use self::table::{csv_reason, write_rows};
use crate::record::{
    BitTests, CollisionRow, CurveRow, DistributionRow, FORMAT, FalsePositiveRow, OLDEST_SCHEMA, PlaceRow,
    Run, SCHEMA, SCHEMA_WITH_SPREAD, SpreadRow, Structure, TimingRow,
};
use crate::system;

/// Names of the files beside `run.json` that hold records.
pub const CSV_FILES: [&str; 14] = [
    COLLISIONS,
    TIMING,
    LATENCY,
    SPREAD,
    CURVES,
    PLACES,
    DISTRIBUTION,
    FALSE_POSITIVES,
    WINDOWS,
    AVALANCHE,
    MIXING,
    structure::STRUCTURED,
    structure::OCCUPANCY,
    structure::MECHANISMS,
];

/// Those that runs of schema 1 do not have.
const NEWER_TIMED_FILES: [&str; 3] = [SPREAD, CURVES, PLACES];

/// Those of them that hold times, so that they differ from machine to machine.
const TIMED_FILES: [&str; 5] = [TIMING, LATENCY, SPREAD, CURVES, PLACES];

/// Name of the file that says what the others do not.
pub const RUN: &str = "run.json";

const COLLISIONS: &str = "collisions.csv";
const TIMING: &str = "timing.csv";
const LATENCY: &str = "latency.csv";
const SPREAD: &str = "spread.csv";
const CURVES: &str = "curves.csv";
const PLACES: &str = "places.csv";
const DISTRIBUTION: &str = "distribution.csv";
const FALSE_POSITIVES: &str = "false_positives.csv";
const WINDOWS: &str = "windows.csv";
const AVALANCHE: &str = "avalanche.csv";
const MIXING: &str = "mixing.csv";

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
    /// `spread.csv`; empty in a run of schema 1.
    pub spread: Vec<SpreadRow>,
    /// `curves.csv`; empty in a run of schema 1.
    pub curves: Vec<CurveRow>,
    /// `places.csv`; empty in a run of schema 1.
    pub places: Vec<PlaceRow>,
    /// `distribution.csv`.
    pub distribution: Vec<DistributionRow>,
    /// `false_positives.csv`.
    pub false_positives: Vec<FalsePositiveRow>,
    /// `windows.csv`, `avalanche.csv` and `mixing.csv`; `None` where an older version wrote the run.
    pub bits: Option<BitTests>,
    /// [`STRUCTURE_FILES`]; runs of older versions have none.
    pub structure: Option<Structure>,
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
    /// The file is another program's, or of another version of this one.
    Foreign {
        /// The file.
        path: PathBuf,
        /// What says so.
        reason: String,
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
            Self::Io { path, source } => write!(f, "{}: {}", path.display(), system::text(source)),
            Self::Foreign { path, reason } | Self::Malformed { path, reason } => {
                write!(f, "{}: {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for RecordsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Foreign { .. } | Self::Malformed { .. } => None,
        }
    }
}

impl Records {
    /// Reads the records in `dir`.
    ///
    /// # Errors
    ///
    /// When a file is missing, unreadable, malformed, or of another program or schema; when a number is outside its
    /// range or a row is missing; when two rows answer one question, or there are more datasets, functions or questions than charts have
    /// room for; when a row names a dataset or function that `run.json` does not; when what `run.json` recommends is not
    /// borne out by its own lists or by the times.
    pub fn read(dir: &Path) -> Result<Self, RecordsError> {
        let path = dir.join(RUN);
        let run = read_run(&path)?;
        check::run(&run).map_err(|wrong| malformed(&path, wrong))?;
        let records = Self {
            collisions: read_csv(&dir.join(COLLISIONS), &run)?,
            timing: read_csv(&dir.join(TIMING), &run)?,
            latency: read_csv(&dir.join(LATENCY), &run)?,
            spread: read_newer(&dir.join(SPREAD), &run)?,
            curves: read_newer(&dir.join(CURVES), &run)?,
            places: read_newer(&dir.join(PLACES), &run)?,
            distribution: read_csv(&dir.join(DISTRIBUTION), &run)?,
            false_positives: read_csv(&dir.join(FALSE_POSITIVES), &run)?,
            bits: bits::read(dir, &run)?,
            structure: structure::read(dir, &run)?,
            run,
        };
        check::complete(&records).map_err(|(file, what)| malformed(&dir.join(file), what))?;
        recommended::check(&records).map_err(|wrong| malformed(&path, wrong))?;
        Ok(records)
    }

    /// Those of [`CSV_FILES`] that hold these records: runs of older versions have fewer.
    pub fn csv_files(&self) -> impl Iterator<Item = &'static str> + use<> {
        let (bits, structure) = (self.bits.is_some(), self.structure.is_some());
        let spread = self.run.schema >= SCHEMA_WITH_SPREAD;
        CSV_FILES
            .into_iter()
            .filter(move |name| spread || !NEWER_TIMED_FILES.contains(name))
            .filter(move |name| bits || !bits::FILES.contains(name))
            .filter(move |name| structure || !STRUCTURE_FILES.contains(name))
    }

    /// Those of them whose bytes depend on data and seed alone.
    pub fn deterministic_files(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.csv_files().filter(|name| !TIMED_FILES.contains(name))
    }

    /// Writes the records into `dir`, which must exist, and into `run.json` the checksums of what was written.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn write(&self, dir: &Path) -> Result<(), RecordsError> {
        write_csv(&dir.join(COLLISIONS), &self.collisions)?;
        write_csv(&dir.join(TIMING), &self.timing)?;
        write_csv(&dir.join(LATENCY), &self.latency)?;
        if self.run.schema >= SCHEMA_WITH_SPREAD {
            write_csv(&dir.join(SPREAD), &self.spread)?;
            write_csv(&dir.join(CURVES), &self.curves)?;
            write_csv(&dir.join(PLACES), &self.places)?;
        }
        write_csv(&dir.join(DISTRIBUTION), &self.distribution)?;
        write_csv(&dir.join(FALSE_POSITIVES), &self.false_positives)?;
        if let Some(bits) = &self.bits {
            bits::write(dir, bits)?;
        }
        if let Some(structure) = &self.structure {
            structure::write(dir, structure)?;
        }
        if self.run.schema < SCHEMA_WITH_SPREAD {
            return write_run(&dir.join(RUN), &self.run);
        }
        let sums = self.deterministic_files().map(|name| {
            let path = dir.join(name);
            let bytes = std::fs::read(&path).map_err(io(&path))?;
            Ok((name.to_owned(), checksum(&bytes)))
        });
        let run = Run {
            checksums: sums.collect::<Result<_, _>>()?,
            ..self.run.clone()
        };
        write_run(&dir.join(RUN), &run)
    }
}

/// SHA-256, lower-case hex.
pub(crate) fn checksum(bytes: &[u8]) -> String {
    use std::fmt::Write as _;

    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string takes any text");
        hex
    })
}

/// The rows of a file that runs of schema 1 do not have.
fn read_newer<T: Row>(path: &Path, run: &Run) -> Result<Vec<T>, RecordsError> {
    if run.schema >= SCHEMA_WITH_SPREAD {
        read_csv(path, run)
    } else {
        Ok(Vec::new())
    }
}

/// Reads a `run.json` alone and checks whose it is.
///
/// # Errors
///
/// When it is missing, unreadable, damaged, or of another program or schema.
pub fn read_run(path: &Path) -> Result<Run, RecordsError> {
    let bytes = std::fs::read(path).map_err(io(path))?;
    let value: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|e| malformed(path, format!("damaged: not JSON: {e}")))?;
    let foreign = |reason| {
        Err(RecordsError::Foreign {
            path: path.to_owned(),
            reason,
        })
    };
    match value.get("format").and_then(serde_json::Value::as_str) {
        Some(FORMAT) => {}
        Some(other) => {
            return foreign(format!(
                "not a run of this program: \"format\" is {other:?}, not {FORMAT:?}"
            ));
        }
        None => return foreign(format!("not a run of this program: no \"format\": {FORMAT:?}")),
    }
    let schema = value.get("schema").and_then(serde_json::Value::as_u64);
    let readable = u64::from(OLDEST_SCHEMA)..=u64::from(SCHEMA);
    match schema {
        Some(known) if readable.contains(&known) => {}
        Some(other) => {
            return foreign(format!(
                "of another version of this program: this run has schema {other}, and this program reads {OLDEST_SCHEMA} to \
                 {SCHEMA}"
            ));
        }
        None => {
            return foreign(format!(
                "damaged: \"schema\" is missing or no whole number; this program reads {OLDEST_SCHEMA} to {SCHEMA}"
            ));
        }
    }
    // From the text once more: this error names line and column.
    serde_json::from_slice(&bytes).map_err(|e| malformed(path, format!("damaged: {e}")))
}

/// Writes a `run.json` alone.
///
/// # Errors
///
/// When the file cannot be written.
pub fn write_run(path: &Path, run: &Run) -> Result<(), RecordsError> {
    let mut text = serde_json::to_string_pretty(run).map_err(|e| malformed(path, e.to_string()))?;
    text.push('\n');
    std::fs::write(path, text).map_err(io(path))
}

pub(crate) fn malformed(path: &Path, reason: String) -> RecordsError {
    RecordsError::Malformed {
        path: path.to_owned(),
        reason,
    }
}

pub(crate) fn io(path: &Path) -> impl Fn(std::io::Error) -> RecordsError {
    |source| RecordsError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod damaged;
#[cfg(test)]
mod tests;
