//! All records of a run, in memory and on disk.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::record::{
    CollisionRow, DistributionRow, EMPTY, FORMAT, FalsePositiveRow, IDEAL, Run, SCHEMA, TimingRow,
};

/// Names of the files beside `run.json` that hold records.
pub const CSV_FILES: [&str; 5] = [COLLISIONS, TIMING, LATENCY, DISTRIBUTION, FALSE_POSITIVES];

const COLLISIONS: &str = "collisions.csv";
const TIMING: &str = "timing.csv";
const LATENCY: &str = "latency.csv";
const DISTRIBUTION: &str = "distribution.csv";
const FALSE_POSITIVES: &str = "false_positives.csv";
const RUN: &str = "run.json";

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

impl std::error::Error for RecordsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Malformed { .. } => None,
        }
    }
}

/// A row type of one of the CSV files.
trait Row: Serialize + DeserializeOwned {
    /// The first line of the file.
    const HEADER: &'static [&'static str];

    /// Dataset and function that the row is about.
    fn about(&self) -> (&str, &str);

    /// Fields that must be finite numbers.
    fn numbers(&self) -> Vec<f64>;
}

macro_rules! row {
    ($row:ty, [$($field:ident),*], numbers: [$($number:ident),*]) => {
        impl Row for $row {
            const HEADER: &'static [&'static str] = &[$(stringify!($field)),*];

            fn about(&self) -> (&str, &str) {
                (&self.dataset, &self.function)
            }

            fn numbers(&self) -> Vec<f64> {
                vec![$(self.$number),*]
            }
        }
    };
}

row!(
    CollisionRow,
    [
        dataset, function, bits, keys, collisions, expected, p_value, ci_low, ci_high, band_low, band_high,
        p_adjusted, verdict
    ],
    numbers: [expected, p_value, ci_low, ci_high, band_low, band_high, p_adjusted]
);
row!(
    TimingRow,
    [dataset, function, keys, bytes, median_ns_per_key, mad_ns_per_key, samples],
    numbers: [median_ns_per_key, mad_ns_per_key]
);
row!(
    DistributionRow,
    [dataset, function, kind, parameter, statistic, dof, p_value],
    numbers: [statistic, p_value]
);
row!(
    FalsePositiveRow,
    [
        dataset, function, bits_per_key, keys, probes, false_positives, rate, ci_low, ci_high, theory, raw_bytes,
        filter_bytes, saved
    ],
    numbers: [rate, ci_low, ci_high, theory, saved]
);

impl Records {
    /// Reads the records in `dir`.
    ///
    /// # Errors
    ///
    /// When a file is missing, unreadable, malformed, or of another program or schema; when a number is not
    /// finite; when a row names a dataset or function that `run.json` does not.
    pub fn read(dir: &Path) -> Result<Self, RecordsError> {
        let run = read_run(&dir.join(RUN))?;
        Ok(Self {
            collisions: read_csv(&dir.join(COLLISIONS), &run)?,
            timing: read_csv(&dir.join(TIMING), &run)?,
            latency: read_csv(&dir.join(LATENCY), &run)?,
            distribution: read_csv(&dir.join(DISTRIBUTION), &run)?,
            false_positives: read_csv(&dir.join(FALSE_POSITIVES), &run)?,
            run,
        })
    }

    /// Writes the records into `dir`, which must exist.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn write(&self, dir: &Path) -> Result<(), RecordsError> {
        write_csv(&dir.join(COLLISIONS), &self.collisions)?;
        write_csv(&dir.join(TIMING), &self.timing)?;
        write_csv(&dir.join(LATENCY), &self.latency)?;
        write_csv(&dir.join(DISTRIBUTION), &self.distribution)?;
        write_csv(&dir.join(FALSE_POSITIVES), &self.false_positives)?;
        write_run(&dir.join(RUN), &self.run)
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
    match value.get("format").and_then(serde_json::Value::as_str) {
        Some(FORMAT) => {}
        Some(other) => {
            return Err(malformed(
                path,
                format!("not a run of this program: \"format\" is {other:?}, not {FORMAT:?}"),
            ));
        }
        None => {
            return Err(malformed(
                path,
                format!("not a run of this program: no \"format\": {FORMAT:?}"),
            ));
        }
    }
    let schema = value.get("schema").and_then(serde_json::Value::as_u64);
    if schema != Some(u64::from(SCHEMA)) {
        let found = schema.map_or("missing".to_owned(), |schema| schema.to_string());
        return Err(malformed(
            path,
            format!(
                "of another version of this program: \"schema\" is {found}, and this version reads {SCHEMA}"
            ),
        ));
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

fn read_csv<T: Row>(path: &Path, run: &Run) -> Result<Vec<T>, RecordsError> {
    let file = File::open(path).map_err(io(path))?;
    let mut reader = csv::Reader::from_reader(BufReader::new(file));
    let damaged = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(source) => io(path)(source),
        kind => malformed(path, csv_reason(&kind)),
    };
    let header = reader.headers().map_err(damaged)?.clone();
    if header.iter().ne(T::HEADER.iter().copied()) {
        return Err(malformed(
            path,
            format!("line 1: the header is not {}", T::HEADER.join(",")),
        ));
    }
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(damaged)? {
        let line = record.position().map_or(0, csv::Position::line);
        let row: T = record.deserialize(Some(&header)).map_err(damaged)?;
        if row.numbers().iter().any(|number| !number.is_finite()) {
            return Err(malformed(path, format!("line {line}: a number is not finite")));
        }
        let (dataset, function) = row.about();
        if !run.datasets.iter().any(|summary| summary.name == dataset) {
            return Err(malformed(
                path,
                format!("line {line}: {RUN} knows no dataset {dataset:?}"),
            ));
        }
        if function != EMPTY && function != IDEAL && !run.functions.iter().any(|f| f.name == function) {
            return Err(malformed(
                path,
                format!("line {line}: {RUN} knows no function {function:?}"),
            ));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Line and field of a mistake, as a person counts them.
pub(crate) fn csv_reason(kind: &csv::ErrorKind) -> String {
    let line = |position: &Option<csv::Position>| position.as_ref().map_or(0, csv::Position::line);
    match kind {
        csv::ErrorKind::Deserialize { pos, err } => {
            let field = err
                .field()
                .map_or(String::new(), |field| format!(", field {}", field + 1));
            format!("line {}{field}: {}", line(pos), err.kind())
        }
        csv::ErrorKind::UnequalLengths {
            pos,
            expected_len,
            len,
        } => {
            format!("line {}: {len} fields, not {expected_len}", line(pos))
        }
        csv::ErrorKind::Utf8 { pos, err } => format!("line {}: {err}", line(pos)),
        other => format!("{other:?}"),
    }
}

fn write_csv<T: Row>(path: &Path, rows: &[T]) -> Result<(), RecordsError> {
    let file = BufWriter::new(File::create(path).map_err(io(path))?);
    // The header is written by hand: the writer would leave it out of a file without rows.
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(file);
    let failed = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(source) => io(path)(source),
        kind => malformed(path, csv_reason(&kind)),
    };
    writer.write_record(T::HEADER).map_err(failed)?;
    for row in rows {
        writer.serialize(row).map_err(failed)?;
    }
    let mut inner = writer.into_inner().map_err(|e| io(path)(e.into_error()))?;
    inner.flush().map_err(io(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{DistributionKind, Verdict};

    /// The header that the writer would make from the fields.
    fn derived(row: impl Row) -> Vec<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(row).unwrap();
        let bytes = writer.into_inner().unwrap();
        csv::Reader::from_reader(&bytes[..])
            .headers()
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn headers_are_the_fields() {
        let name = String::new;
        let collisions = CollisionRow {
            dataset: name(),
            function: name(),
            bits: 32,
            keys: 1,
            collisions: 0,
            expected: 0.0,
            p_value: 1.0,
            ci_low: 0.0,
            ci_high: 1.0,
            band_low: 0.0,
            band_high: 1.0,
            p_adjusted: 1.0,
            verdict: Verdict::InBand,
        };
        assert_eq!(derived(collisions), CollisionRow::HEADER);
        let timing = TimingRow {
            dataset: name(),
            function: name(),
            keys: 1,
            bytes: 1,
            median_ns_per_key: 1.0,
            mad_ns_per_key: 0.0,
            samples: 1,
        };
        assert_eq!(derived(timing), TimingRow::HEADER);
        let distribution = DistributionRow {
            dataset: name(),
            function: name(),
            kind: DistributionKind::BitShare,
            parameter: 0,
            statistic: 0.5,
            dof: 1,
            p_value: 1.0,
        };
        assert_eq!(derived(distribution), DistributionRow::HEADER);
        let false_positives = FalsePositiveRow {
            dataset: name(),
            function: name(),
            bits_per_key: 10,
            keys: 1,
            probes: 1,
            false_positives: 0,
            rate: 0.0,
            ci_low: 0.0,
            ci_high: 1.0,
            theory: 0.0,
            raw_bytes: 1,
            filter_bytes: 9,
            saved: -8.0,
        };
        assert_eq!(derived(false_positives), FalsePositiveRow::HEADER);
    }
}
