//! The file of a calibration.

use std::fs;
use std::path::Path;

use super::CalibrationRow;
use crate::record::files::RecordsError;
use crate::record::table::{self, Row};

/// The committed calibration.
pub const COMMITTED: &str = include_str!("../../../../../reports/reference/calibration/calibration.csv");

impl Row for CalibrationRow {}

/// Writes the rows as a CSV file.
///
/// # Errors
///
/// When the file cannot be written, or is there and no calibration.
pub fn write(path: &Path, rows: &[CalibrationRow]) -> Result<(), RecordsError> {
    check_destination(path)?;
    table::write(path, rows)
}

/// Checks that nothing is at `path`, or an earlier calibration.
///
/// # Errors
///
/// When something else is there.
pub fn check_destination(path: &Path) -> Result<(), RecordsError> {
    let ours = match fs::read(path) {
        Ok(bytes) => bytes.starts_with(table::header::<CalibrationRow>().join(",").as_bytes()),
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
    table::parse(path, text.as_bytes())
}
