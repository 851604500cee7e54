//! The row groups of a Parquet file that may contain values.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use filter_parquet::{
    ColumnChunk, ColumnType, Error, LogicalType, ParquetFile, PhysicalType, Value, ValueForm,
};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

use crate::exit::detach;

/// The number of columns that a message lists, and of letters of each.
const LISTED: usize = 100;

/// A value, as `_parquet.py` passes it.
#[derive(FromPyObject)]
pub(crate) enum Given {
    /// A `str`.
    Text(String),
    /// A `bytes`: the stored bytes.
    Bytes(Vec<u8>),
    /// A number, a date or another value, as people write it.
    Written((String,)),
}

/// Returns the numbers of the row groups that may contain one of the values.
#[pyfunction]
pub(crate) fn parquet_row_groups(
    py: Python<'_>,
    path: PathBuf,
    column: &str,
    values: Vec<Given>,
) -> PyResult<Vec<u64>> {
    detach(py, || row_groups(&path, column, &values))
}

/// Opens a plain file. Opening a pipe would wait for its writer.
fn plain_file(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("must be a plain file")),
    }
}

fn row_groups(path: &Path, column: &str, values: &[Given]) -> PyResult<Vec<u64>> {
    let refused = |reason: String| PyValueError::new_err(format!("{}: {reason}", path.display()));
    let source = plain_file(path).map_err(|error| crate::of_system(path.to_path_buf(), &error))?;
    let file = ParquetFile::open(source).map_err(|error| match &error {
        Error::Size(source) | Error::Read { source, .. } => crate::of_system(path.to_path_buf(), source),
        Error::AllocationFailed { .. } => PyMemoryError::new_err(error.to_string()),
        _ => refused(error.to_string()),
    })?;
    let (columns, groups) = (&file.footer().columns, file.footer().row_groups);
    let chunks: Vec<&ColumnChunk> = columns.iter().filter(|chunk| chunk.path == column).collect();
    let mut having: Vec<u64> = chunks.iter().map(|chunk| chunk.row_group).collect();
    having.dedup();
    if (having.len() as u64) < groups {
        return Err(refused(wrong_column(columns, column)));
    }
    file.row_groups_with(column, |chunk| {
        values
            .iter()
            .map(|given| value(given, chunk.column_type))
            .collect()
    })
    .map_err(refused)
}

fn wrong_column(columns: &[ColumnChunk], column: &str) -> String {
    let names = columns.iter().take_while(|chunk| chunk.row_group == 0);
    let cut = |name: &str| -> String { name.chars().take(LISTED).flat_map(char::escape_debug).collect() };
    let known: Vec<String> = names.clone().take(LISTED).map(|chunk| cut(&chunk.path)).collect();
    let more = if names.count() > LISTED { " and others" } else { "" };
    format!(
        "column must be known, got {column:?}: known are {}{more}",
        known.join(", ")
    )
}

/// Returns the value in the forms in which a column of this type may store it.
fn value(given: &Given, column: ColumnType) -> Result<Value, String> {
    use LogicalType::{Date, Text, Time, Uuid};
    use PhysicalType::{ByteArray, FixedLenByteArray, Int96};

    let ColumnType { physical, logical } = column;
    let value = match (given, physical, logical) {
        // UUIDs have two orders of bytes.
        (Given::Bytes(bytes), FixedLenByteArray(16), Some(Uuid) | None) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            Value::parse(&digits, column, ValueForm::Written)
        }
        (Given::Bytes(bytes), ..) => Value::from_bytes(bytes, column),
        (Given::Text(text), ByteArray, None) => Value::parse(text, column, ValueForm::Text),
        // Text, or twice as many hexadecimal digits.
        (Given::Text(text), FixedLenByteArray(_), None) => Value::parse(text, column, ValueForm::Text)
            .or_else(|_| Value::parse(text, column, ValueForm::Written)),
        (Given::Written((text,)), _, Some(Text))
        | (Given::Written((text,)), ByteArray | FixedLenByteArray(_) | Int96, None)
            if physical != FixedLenByteArray(16) =>
        {
            return Err(format!(
                "values of a column of text or bytes must be str or bytes, got {text}"
            ));
        }
        // A date of pandas is its midnight.
        (Given::Written((text,)), _, Some(Date)) => {
            let midnight = text.split_once("T00:00:00");
            let midnight = midnight.filter(|(_, rest)| rest.bytes().all(|byte| b".0".contains(&byte)));
            Value::parse(
                midnight.map_or(text, |(date, _)| date),
                column,
                ValueForm::Written,
            )
        }
        // A time of day is the same with and without a zone.
        (Given::Text(text) | Given::Written((text,)), _, Some(Time(_, true))) if !text.ends_with('Z') => {
            Value::parse(&format!("{text}Z"), column, ValueForm::Written)
        }
        (Given::Text(text) | Given::Written((text,)), ..) => Value::parse(text, column, ValueForm::Written),
    };
    value.map_err(|error| error.to_string())
}
