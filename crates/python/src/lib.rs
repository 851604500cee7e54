//! The extension module of the Python package `samebits`.

use pyo3::prelude::*;

#[pymodule(gil_used = true)]
fn _samebits(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
