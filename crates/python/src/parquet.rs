//! The row groups of a Parquet file that may contain values. Python reads the file, so that a thread that waits for the
//! network has no Rust on its stack, and the interpreter may end it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use filter_parquet::{ColumnChunk, ColumnType, Error, ParquetFile, ReadAt, Value};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::exit::{Call, detach};
use crate::{arrays, values};

/// The number of columns that a message lists, and of letters of each.
const LISTED: usize = 100;
/// The number of values that are looked up between two looks at signals.
const QUERIED: usize = 65_536;
/// Filters with fewer bytes between them are read at once.
const GAP: u64 = 64 << 10;
/// The most bytes of several filters that are read at once.
const READ_AT_ONCE: u64 = 64 << 20;
/// The most bytes of a filter's header, and of a filter with its header.
const HEADER: u64 = 256;
const FILTER: u64 = HEADER + (2 << 30);

/// Parts of a file, each with its offset.
struct Parts {
    size: u64,
    parts: Mutex<Vec<(u64, PyBackedBytes)>>,
}

impl Parts {
    fn set(&self, parts: Vec<(u64, PyBackedBytes)>) {
        *self.parts.lock().unwrap_or_else(PoisonError::into_inner) = parts;
    }
}

impl ReadAt for Parts {
    type Error = &'static str;

    fn size(&self) -> Result<u64, Self::Error> {
        Ok(self.size)
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Self::Error> {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = parts.iter().find_map(|(start, bytes)| {
            let start = usize::try_from(offset.checked_sub(*start)?).ok()?;
            bytes.get(start..start.checked_add(buffer.len())?)
        });
        buffer.copy_from_slice(bytes.ok_or("these bytes were not read")?);
        Ok(())
    }
}

/// Refuses tables in place of a column.
#[pyfunction]
pub(crate) fn _check_values(py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<()> {
    let _call = Call::begin(py);
    arrays::check_column(values, "values")
}

/// The values that are looked up, in the forms in which each column of a path stores them.
#[pyclass(frozen, module = "samebits._samebits", name = "_ParquetValues")]
pub(crate) struct PyParquetValues(Vec<Vec<Value>>);

#[pymethods]
impl PyParquetValues {
    /// Reads the values once for each of the columns. `typed` is explained by [`values::read`].
    #[new]
    fn new(
        py: Python<'_>,
        columns: &PyParquetColumns,
        values: &Bound<'_, PyAny>,
        typed: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let _call = Call::begin(py);
        let read = |column_type: &ColumnType| values::read(values, *column_type, typed);
        let columns: Vec<_> = columns.columns.values().map(read).collect::<PyResult<_>>()?;
        let lens: BTreeSet<usize> = columns.iter().map(Vec::len).collect();
        match lens.len() > 1 {
            true => Err(PyValueError::new_err(
                "values must be the same whenever they are read",
            )),
            false => Ok(Self(columns)),
        }
    }

    fn __len__(&self) -> usize {
        self.0.first().map_or(0, Vec::len)
    }
}

/// The columns of one path in a file, of which Python reads the bytes.
#[pyclass(frozen, module = "samebits._samebits", name = "_ParquetColumns")]
pub(crate) struct PyParquetColumns {
    file: ParquetFile<Parts>,
    path: String,
    /// The places of their chunks in the footer. A file may have a million others.
    chunks: Vec<usize>,
    /// The type of each column by its number. Several may have the path.
    columns: BTreeMap<u64, ColumnType>,
    /// The columns, by row group, whose filters deny all values.
    denied: Mutex<BTreeSet<(u64, u64)>>,
}

#[pymethods]
impl PyParquetColumns {
    /// Opens a file of which these parts, each with its offset, have the footer.
    #[new]
    fn new(
        py: Python<'_>,
        name: &str,
        size: u64,
        parts: Vec<(u64, PyBackedBytes)>,
        path: String,
    ) -> PyResult<Self> {
        let parts = Mutex::new(parts);
        let file = detach(py, || ParquetFile::open(Parts { size, parts }));
        let file = file.map_err(|error| match &error {
            Error::AllocationFailed { .. } => PyMemoryError::new_err(error.to_string()),
            _ => refused(name, &error.to_string()),
        })?;
        file.source().set(Vec::new());
        let all = file.footer().columns.iter().enumerate();
        let of_path = all.filter(|(_, chunk)| chunk.path == path);
        let (chunks, columns) = of_path
            .map(|(place, chunk)| (place, (chunk.column, chunk.column_type)))
            .unzip();
        let denied = Mutex::default();
        Ok(Self {
            file,
            path,
            chunks,
            columns,
            denied,
        })
    }

    /// Returns the number of row groups in the file.
    #[getter]
    fn all_row_groups(&self) -> u64 {
        self.file.footer().row_groups
    }

    /// Returns the types of the columns, equal for equal types only.
    #[getter]
    fn types(&self) -> String {
        let text = |column: &ColumnType| match &column.logical {
            Some(logical) => format!("{:?} as {logical:?}", column.physical),
            None => format!("{:?}", column.physical),
        };
        self.columns.values().map(text).collect::<Vec<_>>().join(", ")
    }

    /// Returns the reason why the columns cannot be queried: a row group has none of them.
    fn missing(&self) -> Option<String> {
        let footer = self.file.footer();
        let groups: BTreeSet<u64> = self.chunks().map(|chunk| chunk.row_group).collect();
        ((groups.len() as u64) < footer.row_groups).then(|| wrong_column(&footer.columns, &self.path))
    }

    /// Returns the ranges of the file to read for [`query`](Self::query), as starts and ends.
    fn places(&self, py: Python<'_>) -> Vec<(u64, u64)> {
        detach(py, || {
            self.joined()
                .into_iter()
                .map(|place| (place.start, place.end))
                .collect()
        })
    }

    /// Queries the filters that begin in this part of the file.
    fn query(
        &self,
        py: Python<'_>,
        values: &PyParquetValues,
        start: u64,
        bytes: PyBackedBytes,
    ) -> PyResult<()> {
        let _call = Call::begin(py);
        let part = start..start.saturating_add(bytes.len() as u64);
        self.file.source().set(vec![(start, bytes)]);
        let is_here = |chunk: &&ColumnChunk| chunk.filter_offset.is_some_and(|offset| part.contains(&offset));
        let mut filters = self.file.filters(self.chunks().filter(is_here));
        while let Some((chunk, filter)) = detach(py, || filters.next()) {
            py.check_signals()?;
            // A filter that cannot be read denies nothing, nor does one that its writer did not fill.
            let Ok(filter) = filter else { continue };
            let number = self.columns.range(..chunk.column).count();
            let Some(values) = values.0.get(number) else {
                continue;
            };
            let mut denies = !filter.is_unfilled(chunk);
            for some in values.chunks(QUERIED) {
                denies = denies && detach(py, || !some.iter().any(|value| filter.may_match(value)));
                py.check_signals()?;
            }
            if denies {
                let mut denied = self.denied.lock().unwrap_or_else(PoisonError::into_inner);
                denied.insert((chunk.row_group, chunk.column));
            }
        }
        self.file.source().set(Vec::new());
        Ok(())
    }

    /// Returns the numbers of the row groups that may have one of the values in one of the columns.
    fn row_groups(&self) -> Vec<u64> {
        let denied = self.denied.lock().unwrap_or_else(PoisonError::into_inner);
        let is_left = |chunk: &&ColumnChunk| !denied.contains(&(chunk.row_group, chunk.column));
        let left: BTreeSet<u64> = self
            .chunks()
            .filter(is_left)
            .map(|chunk| chunk.row_group)
            .collect();
        left.into_iter().collect()
    }
}

impl PyParquetColumns {
    fn chunks(&self) -> impl Iterator<Item = &ColumnChunk> {
        let columns = &self.file.footer().columns;
        self.chunks.iter().filter_map(|place| columns.get(*place))
    }

    /// Returns the ranges to read, in order. Together they are shorter than twice the file, whatever the footer states.
    fn joined(&self) -> Vec<Range<u64>> {
        let (footer, size) = (self.file.footer(), self.file.source().size);
        // A filter whose length is not stated ends where something else begins.
        let all = footer.columns.iter();
        let starts =
            all.flat_map(|chunk| [chunk.filter_offset, chunk.pages.as_ref().map(|pages| pages.start)]);
        let mut starts: Vec<u64> = starts.flatten().chain([self.file.footer_place().start]).collect();
        starts.sort_unstable();
        let place = |chunk: &ColumnChunk| {
            let start = chunk.filter_offset.filter(|_| !chunk.is_encrypted)?;
            let stated = chunk
                .filter_length
                .map(|len| start.saturating_add(len.try_into().unwrap_or(0)));
            let next = || {
                starts
                    .get(starts.partition_point(|other| *other <= start))
                    .copied()
            };
            let end = stated.or_else(next).unwrap_or(size);
            Some(start..end.min(start.saturating_add(FILTER)).min(size))
        };
        let mut places: Vec<_> = self
            .chunks()
            .filter_map(place)
            .filter(|place| !place.is_empty())
            .collect();
        places.sort_unstable_by_key(|place| place.start);
        let mut joined: Vec<Range<u64>> = Vec::new();
        for place in places {
            match joined.last_mut() {
                // Its bytes are read as far as the filter before it has them. Beyond that, it denies nothing.
                Some(last) if place.start < last.end => {}
                Some(last) if place.start - last.end < GAP && place.end - last.start <= READ_AT_ONCE => {
                    last.end = place.end;
                }
                _ => joined.push(place),
            }
        }
        // The reader of headers wants this many bytes, even of a shorter filter.
        for place in &mut joined {
            place.end = place.end.saturating_add(HEADER).min(size);
        }
        joined
    }
}

/// Opens a plain file. Opening a pipe would wait for its writer.
pub(crate) fn plain_file(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("must be a plain file")),
    }
}

fn refused(name: &str, reason: &str) -> PyErr {
    PyValueError::new_err(format!("{name}: {reason}"))
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
