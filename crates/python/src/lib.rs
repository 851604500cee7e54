//! The extension module of the Python package `samebits`.

mod adding;
mod arrays;
mod exit;
mod ffi;
mod filter;
mod keys;
mod parquet;
mod set;
mod state;
mod values;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use filter_sets::StoredFormat;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// Converts an error of the library.
fn error(error: filter_sets::Error) -> PyErr {
    use filter_sets::Error::{MemoryTooSmall, NotFound, OutOfMemory, Read, Stopped, Write};

    let text = error.to_string();
    match error {
        NotFound { path, source } | Read { path, source } | Write { path, source } => {
            of_system(path, &source)
        }
        MemoryTooSmall { .. } | OutOfMemory { .. } => PyMemoryError::new_err(text),
        // Only signals stop a build.
        Stopped => PyKeyboardInterrupt::new_err(()),
        _ => PyValueError::new_err(text),
    }
}

/// Returns the path of a file or folder, which is given as `str` or an object for paths.
fn path_of(path: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    path.extract().or_else(|_| {
        let is_bytes = path.is_instance_of::<PyBytes>();
        let hint = if is_bytes { ": pass os.fsdecode(path)" } else { "" };
        let class = path.get_type();
        Err(PyTypeError::new_err(format!(
            "paths must be str or os.PathLike, got {}{hint}",
            class.name()?
        )))
    })
}

/// Converts an error of the system. Python chooses the class by the number.
fn of_system(path: PathBuf, error: &io::Error) -> PyErr {
    // A library that adds a path to an error leaves its kind alone.
    let of_kind = match error.kind() {
        io::ErrorKind::NotFound => Some(2),
        io::ErrorKind::PermissionDenied => Some(13),
        io::ErrorKind::StorageFull => Some(28),
        io::ErrorKind::ReadOnlyFilesystem => Some(30),
        _ => None,
    };
    match number_of(error).or(of_kind) {
        Some(number) => {
            let text = io::Error::from_raw_os_error(number).to_string();
            let reason = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, reason, path.into_os_string()))
        }
        None => io::Error::new(error.kind(), format!("{}: {error}", path.display())).into(),
    }
}

/// Returns the system's number of an error, which may be inside of others.
fn number_of(error: &io::Error) -> Option<i32> {
    let mut inner = error
        .get_ref()
        .map(|inner| inner as &(dyn std::error::Error + 'static));
    let mut number = error.raw_os_error();
    while let (None, Some(error)) = (number, inner) {
        number = error.downcast_ref::<io::Error>().and_then(number_of);
        inner = error.source();
    }
    number
}

/// Returns an error unless so many bytes can be had now: where the library has no other way to say it.
fn check_memory(bytes: u64) -> PyResult<()> {
    let refused = |_| PyMemoryError::new_err(format!("no memory for {bytes} bytes"));
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(usize::try_from(bytes).unwrap_or(usize::MAX))
        .map_err(refused)
}

/// Returns the names of each format, the usual one first, and whether its filters take keys at any time.
#[pyfunction]
fn _formats() -> Vec<(Vec<String>, bool)> {
    let all = StoredFormat::all().map(|format| {
        let mut names: Vec<String> = format.short_names().iter().map(ToString::to_string).collect();
        if format.short_names().iter().all(|name| *name != format.name()) {
            names.push(format.name().to_owned());
        }
        (names, format.takes_keys())
    });
    all.collect()
}

/// Runs the program `samebits` with arguments, of which the first is its name. Returns its exit code.
#[pyfunction]
fn _run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    exit::detach(py, || samebits::run(arguments))
}

#[pymodule(gil_used = true)]
fn _samebits(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<filter::PyFilter>()?;
    module.add_class::<set::PyFilterSet>()?;
    module.add_function(wrap_pyfunction!(_formats, module)?)?;
    module.add_function(wrap_pyfunction!(_run, module)?)?;
    module.add_function(wrap_pyfunction!(parquet::_check_values, module)?)?;
    module.add_class::<parquet::PyParquetColumns>()?;
    module.add_class::<parquet::PyParquetValues>()?;
    module.add_function(wrap_pyfunction!(adding::_add_bloom_filters, module)?)?;
    module.add_function(wrap_pyfunction!(adding::_check_bloom_filters, module)?)?;
    let stop_threads = wrap_pyfunction!(exit::_stop_threads, module)?;
    let atexit = module.py().import("atexit")?;
    atexit.call_method1("register", (stop_threads,))?;
    // Windows has no such processes.
    if let Some(register) = module.py().import("os")?.getattr_opt("register_at_fork")? {
        let after = PyDict::new(module.py());
        after.set_item("after_in_child", wrap_pyfunction!(exit::_forget_threads, module)?)?;
        register.call((), Some(&after))?;
    }
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
