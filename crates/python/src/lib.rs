//! The extension module of the Python package `samebits`.

mod arrays;
mod ffi;
#[expect(dead_code, reason = "the classes will pass on keys")]
mod keys;
mod parquet;

use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;

/// Converts an error of the library.
fn error(error: filter_sets::Error) -> PyErr {
    use filter_sets::Error::{NotFound, Read, Write};

    let text = error.to_string();
    match error {
        NotFound { .. } => PyFileNotFoundError::new_err(text),
        Read { .. } | Write { .. } => PyOSError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

#[pymodule(gil_used = true)]
fn _samebits(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(parquet::parquet_row_groups, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
