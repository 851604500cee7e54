//! The row groups of a Parquet file that may contain values.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use filter_parquet::{ColumnChunk, Error, ParquetFile};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

use crate::exit::{Call, detach};
use crate::{arrays, path_of, values};

/// The number of columns that a message lists, and of letters of each.
const LISTED: usize = 100;
/// The number of values that are looked up between two looks at signals.
const QUERIED: usize = 65_536;

/// Returns the numbers of the row groups that may contain one of the values. `typed` is explained by
/// [`values::read`].
#[pyfunction]
pub(crate) fn parquet_row_groups(
    py: Python<'_>,
    #[pyo3(from_py_with = path_of)] path: PathBuf,
    column: &str,
    values: &Bound<'_, PyAny>,
    typed: &Bound<'_, PyAny>,
) -> PyResult<Vec<u64>> {
    let _call = Call::begin(py);
    arrays::check_column(values, "values")?;
    let file = detach(py, || open(&path))?;
    let (columns, groups) = (&file.footer().columns, file.footer().row_groups);
    let chunks: Vec<&ColumnChunk> = columns.iter().filter(|chunk| chunk.path == column).collect();
    if !chunks.iter().map(|chunk| chunk.row_group).eq(0..groups) {
        return Err(refused(&path, &wrong_column(columns, column, chunks.len())));
    }
    let Some(first) = chunks.first() else {
        return Ok(Vec::new());
    };
    let values = values::read(values, first.column_type, typed)?;
    if values.is_empty() {
        return Ok(Vec::new());
    }
    let (mut filters, mut denied) = (file.filters(chunks), HashSet::new());
    while let Some((chunk, filter)) = detach(py, || filters.next()) {
        py.check_signals()?;
        // A filter that cannot be read denies nothing, nor does one that its writer did not fill.
        let Ok(filter) = filter else { continue };
        let mut denies = !filter.is_empty() || chunk.stored_values() == Some(0);
        for some in values.chunks(QUERIED) {
            denies = denies && detach(py, || !some.iter().any(|value| filter.may_match(value)));
            py.check_signals()?;
        }
        if denies {
            denied.insert(chunk.row_group);
        }
    }
    Ok((0..groups).filter(|group| !denied.contains(group)).collect())
}

/// Opens a plain file. Opening a pipe would wait for its writer.
fn plain_file(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("must be a plain file")),
    }
}

fn open(path: &Path) -> PyResult<ParquetFile<File>> {
    let source = plain_file(path).map_err(|error| crate::of_system(path.to_path_buf(), &error))?;
    ParquetFile::open(source).map_err(|error| match &error {
        Error::Size(source) | Error::Read { source, .. } => crate::of_system(path.to_path_buf(), source),
        Error::AllocationFailed { .. } => PyMemoryError::new_err(error.to_string()),
        _ => refused(path, &error.to_string()),
    })
}

fn refused(path: &Path, reason: &str) -> PyErr {
    PyValueError::new_err(format!("{}: {reason}", path.display()))
}

fn wrong_column(columns: &[ColumnChunk], column: &str, chunks: usize) -> String {
    if chunks > 0 {
        return format!("column must be the path of one column, but {column:?} is that of several");
    }
    let names = columns.iter().take_while(|chunk| chunk.row_group == 0);
    let cut = |name: &str| -> String { name.chars().take(LISTED).flat_map(char::escape_debug).collect() };
    let known: Vec<String> = names.clone().take(LISTED).map(|chunk| cut(&chunk.path)).collect();
    let more = if names.count() > LISTED { " and others" } else { "" };
    format!(
        "column must be known, got {column:?}: known are {}{more}",
        known.join(", ")
    )
}
