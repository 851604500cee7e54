//! Adds filters to Parquet files, and checks those that they have.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use filter_parquet::Error;
use filter_parquet::add::{AddError, MAX_BYTES, Options};
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use samebits::commands::parquet::{
    ColumnReport, FileReport, FilterReport, Problem, Request, UncheckedBy, Unread, add_to_file, check_file,
};

use crate::exit::{self, detach};
use crate::{check_memory, of_system};

/// The time between two looks at signals.
const PAUSE: Duration = Duration::from_millis(20);
/// The bytes that any file needs: so many must be free, since not every part of the work can say that it has none.
const LEAST_MEMORY: u64 = 24 << 20;

/// Does some work without the GIL, in another thread, while this one looks at signals. The work calls the function that it
/// is given, and ends when that returns false.
fn interruptible<R: Send>(
    py: Python<'_>,
    work: impl Send + FnOnce(&(dyn Fn(u64) -> bool + Sync)) -> R,
) -> PyResult<R> {
    let is_stopped = &AtomicBool::new(false);
    check_memory(LEAST_MEMORY)?;
    let (done, signalled) = detach(py, || {
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel(1);
            let worker = thread::Builder::new().spawn_scoped(scope, move || {
                let done = work(&|_| !is_stopped.load(Ordering::Relaxed));
                // The receiver waits for it.
                let _ = sender.send(done);
            });
            let worker = match worker {
                Ok(worker) => worker,
                Err(error) => return (Err(error), None),
            };
            let mut signalled = None;
            let done = loop {
                match receiver.recv_timeout(PAUSE) {
                    Ok(done) => break Ok(done),
                    Err(RecvTimeoutError::Disconnected) => {
                        break Err(io::Error::other("a thread ended early"));
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if !exit::is_over() && signalled.is_none() {
                    signalled = Python::attach(|py| py.check_signals()).err();
                }
                // The work then removes what it has not finished.
                if exit::is_over() || signalled.is_some() {
                    is_stopped.store(true, Ordering::Relaxed);
                }
            };
            // A panic ends here.
            let _ = worker.join();
            (done, signalled)
        })
    });
    match signalled {
        Some(raised) => Err(raised),
        None => done.map_err(PyErr::from),
    }
}

/// What is added to a column: row groups, filters, values, different values, bytes, expected rate.
type OfColumn = (u64, u64, u64, u64, u64, f64);

/// What is added to a file: whether it was written, bytes, columns, notes.
type OfFile = (bool, u64, Vec<(String, OfColumn)>, Vec<String>);

/// Adds filters to a file. `flags` are `replace`, `renew` and `always`; without `out`, the file is replaced.
#[pyfunction]
pub(crate) fn _add_bloom_filters(
    py: Python<'_>,
    path: PathBuf,
    columns: Vec<String>,
    rate: f64,
    out: Option<PathBuf>,
    flags: (bool, bool, bool),
    limits: (Option<u64>, Option<u64>),
) -> PyResult<OfFile> {
    let ((replace, renew, always), (max_bytes, memory)) = (flags, limits);
    let options = Options {
        rate,
        max_bytes: max_bytes.unwrap_or(MAX_BYTES),
        memory: memory.unwrap_or(Options::default().memory),
        always,
        renew,
    };
    let mut request = Request::new(columns, options);
    (request.in_place, request.replace) = (out.is_none(), replace);
    let added = interruptible(py, |go_on| add_to_file(&path, out.as_deref(), &request, go_on))?;
    let FileReport {
        out,
        bytes,
        columns,
        notes,
        ..
    } = added.map_err(raised)?;
    let columns = columns.into_iter().map(|(name, column)| {
        let ColumnReport {
            row_groups,
            filters,
            values,
            different,
            bytes,
            expected_rate,
            ..
        } = column;
        (
            name,
            (row_groups, filters, values, different, bytes, expected_rate),
        )
    });
    Ok((out.is_some(), bytes, columns.collect(), notes))
}

/// A filter that was checked: column, row group, bytes, expected rate, values, denied values, the first of these, a note.
type OfFilter = (
    String,
    u64,
    Option<u64>,
    Option<f64>,
    Option<(u64, u64, Option<String>)>,
    Option<String>,
);

/// Checks the filters of a file.
#[pyfunction]
pub(crate) fn _check_bloom_filters(
    py: Python<'_>,
    path: PathBuf,
    memory: Option<u64>,
) -> PyResult<Vec<OfFilter>> {
    crate::parquet::plain_file(&path).map_err(|error| of_system(path.clone(), &error))?;
    let memory = memory.unwrap_or(Options::default().memory);
    let checked = interruptible(py, |go_on| check_file(&path, &[], memory, go_on))?;
    let (filters, _) = checked.map_err(raised)?;
    let filters = filters.into_iter().map(|filter| {
        let failed = |unread: &Unread| format!("{}: {unread}", path.display());
        match (filter.unchecked_by, filter.unread.as_ref().map(failed)) {
            (Some(UncheckedBy::Memory), reason) => {
                return Err(PyMemoryError::new_err(reason.unwrap_or_default()));
            }
            (Some(UncheckedBy::System(number)), reason) => {
                let error = number.map(io::Error::from_raw_os_error);
                let error = error.unwrap_or_else(|| io::Error::other(reason.unwrap_or_default()));
                return Err(of_system(path.clone(), &error));
            }
            (None, _) => {}
        }
        let FilterReport {
            column,
            row_group,
            bytes,
            expected_rate,
            checked,
            note,
            unread,
            ..
        } = filter;
        let checked = checked.map(|checked| (checked.values, checked.denied, checked.first_denied));
        let note = unread.map(|unread| unread.to_string()).or(note);
        Ok((column, row_group, bytes, expected_rate, checked, note))
    });
    filters.collect()
}

fn refused(path: &Path, reason: &str) -> PyErr {
    PyValueError::new_err(format!("{}: {reason}", path.display()))
}

/// Converts the reason why a file gets no filters.
fn raised(problem: Problem) -> PyErr {
    use terminal::failure::Failure;

    match problem {
        Problem::Failure(Failure::Interrupted) | Problem::File(_, AddError::Stopped) => {
            PyKeyboardInterrupt::new_err(())
        }
        Problem::Failure(failure) => PyValueError::new_err(failure.to_string()),
        Problem::Input(path, error) | Problem::Copy(_, path, error) | Problem::System(path, error) => {
            of_system(path, &error)
        }
        Problem::File(path, error) => match error {
            AddError::File(Error::Size(source) | Error::Read { source, .. }) | AddError::Write(source) => {
                of_system(path, &source)
            }
            AddError::Memory { .. } | AddError::File(Error::AllocationFailed { .. }) => {
                PyMemoryError::new_err(format!("{}: {error}", path.display()))
            }
            AddError::Changed => of_system(path, &io::Error::other(error.to_string())),
            _ => refused(&path, &error.to_string()),
        },
    }
}
