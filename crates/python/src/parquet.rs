//! The row groups of a Parquet file that may contain values.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use filter_parquet::{ColumnChunk, Error, ParquetFile, Value};
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
    // Several columns may have the path.
    let mut left: BTreeMap<u64, usize> = BTreeMap::new();
    for chunk in &chunks {
        *left.entry(chunk.row_group).or_default() += 1;
    }
    if (left.len() as u64) < groups {
        return Err(refused(&path, &wrong_column(columns, column)));
    }
    let values = match values.hasattr("__next__")? {
        // Each column reads them.
        true => &values
            .try_iter()?
            .collect::<PyResult<Vec<_>>>()?
            .into_pyobject(py)?,
        false => values,
    };
    let mut of_column: BTreeMap<_, Vec<Value>> = BTreeMap::new();
    for chunk in &chunks {
        if let Entry::Vacant(entry) = of_column.entry(chunk.column) {
            entry.insert(values::read(values, chunk.column_type, typed)?);
        }
    }
    match of_column.values().filter(|values| values.is_empty()).count() {
        0 => {}
        all if all == of_column.len() => return Ok(Vec::new()),
        _ => {
            return Err(refused(
                &path,
                "values must be a list where several columns have one path",
            ));
        }
    }
    let mut filters = file.filters(chunks);
    while let Some((chunk, filter)) = detach(py, || filters.next()) {
        py.check_signals()?;
        // A filter that cannot be read denies nothing, nor does one that its writer did not fill.
        let Ok(filter) = filter else { continue };
        let mut denies = !filter.is_unfilled(chunk);
        for some in of_column
            .get(&chunk.column)
            .into_iter()
            .flat_map(|values| values.chunks(QUERIED))
        {
            denies = denies && detach(py, || !some.iter().any(|value| filter.may_match(value)));
            py.check_signals()?;
        }
        if denies {
            left.entry(chunk.row_group).and_modify(|count| *count -= 1);
        }
    }
    Ok((0..groups).filter(|group| left.get(group) != Some(&0)).collect())
}

/// Opens a plain file. Opening a pipe would wait for its writer.
pub(crate) fn plain_file(path: &Path) -> io::Result<File> {
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
