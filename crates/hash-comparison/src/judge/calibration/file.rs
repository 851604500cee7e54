//! The file of a calibration.

use std::fs;
use std::path::Path;

use super::CalibrationRow;
use crate::record::files::{RecordsError, malformed, write_rows};

/// The committed calibration.
pub const COMMITTED: &str = include_str!("../../../../../reports/reference/calibration/calibration.csv");

/// First line of the file.
#[rustfmt::skip]
const HEADER: &[&str] = &[
    "test", "question", "level", "attainable", "trials", "alarms", "share", "ci_low", "ci_high", "holds",
];

/// Writes the rows as a CSV file.
///
/// # Errors
///
/// When the file cannot be written, or is there and no calibration.
pub fn write(path: &Path, rows: &[CalibrationRow]) -> Result<(), RecordsError> {
    check_destination(path)?;
    write_rows(path, HEADER, rows)
}

/// Checks that nothing is at `path`, or an earlier calibration.
///
/// # Errors
///
/// When something else is there.
pub fn check_destination(path: &Path) -> Result<(), RecordsError> {
    let ours = match fs::read(path) {
        Ok(bytes) => bytes.starts_with(HEADER.join(",").as_bytes()),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    if ours {
        return Ok(());
    }
    Err(RecordsError::Foreign {
        path: path.to_owned(),
        reason: "is there and is no calibration; choose another file".to_owned(),
    })
}

/// The rows of a calibration in its CSV form.
///
/// # Errors
///
/// When the text is not what [`write()`] writes; `path` is for the message.
pub fn parse(path: &Path, text: &str) -> Result<Vec<CalibrationRow>, RecordsError> {
    csv::Reader::from_reader(text.as_bytes())
        .into_deserialize()
        .collect::<Result<_, _>>()
        .map_err(|error| malformed(path, error.to_string()))
}
