//! CSV files with a fixed header, read with the line of whatever is wrong.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use hash_comparison::record::files::{self, RecordsError};

/// A row of a file.
pub(crate) trait Record: Serialize + DeserializeOwned {
    /// The first line.
    const HEADER: &'static [&'static str];

    /// What is wrong with a row that was read.
    fn fault(&self) -> Option<&'static str>;
}

/// Reads all rows of a file.
///
/// # Errors
///
/// When the file cannot be read or is malformed, with its line.
pub(crate) fn read<T: Record>(path: &Path) -> Result<Vec<T>, RecordsError> {
    let file = File::open(path).map_err(records::io(path))?;
    let mut reader = csv::Reader::from_reader(BufReader::new(file));
    let damaged = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(source) => records::io(path)(source),
        kind => records::malformed(path, records::csv_reason(&kind, T::HEADER)),
    };
    let found = reader.headers().map_err(damaged)?.clone();
    if found.iter().ne(T::HEADER.iter().copied()) {
        let reason = format!("line 1: the header is not {}", T::HEADER.join(","));
        return Err(records::malformed(path, reason));
    }
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(damaged)? {
        let line = record.position().map_or(0, csv::Position::line);
        let row: T = record.deserialize(Some(&found)).map_err(damaged)?;
        if let Some(fault) = row.fault() {
            return Err(records::malformed(path, format!("line {line}: {fault}")));
        }
        rows.push(row);
    }
    Ok(rows)
}
