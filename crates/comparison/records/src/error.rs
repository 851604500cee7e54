//! The error type of this crate. The kind decides how a command exits; the text is for people.

use std::path::{Path, PathBuf};

use terminal::failure::Failure;
use terminal::progress::Cancelled;
use terminal::system;

/// An error with its kind, its text, and the file or folder that it concerns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", named(path.as_deref()))]
pub struct Error {
    kind: ErrorKind,
    path: Option<PathBuf>,
    reason: String,
}

/// The kind of an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The run was stopped on request.
    Cancelled,
    /// The user can correct the arguments, files or folders; nothing was written.
    Input,
    /// A record file was written by another program, or by another version of this program.
    Foreign,
    /// A record file was changed after the run: its SHA-256 is not the one in `run.json`.
    Changed,
    /// A record file is damaged, the operating system reported a failure, or this program is at fault.
    Internal,
}

impl Error {
    /// Creates an error that concerns no file.
    pub fn new(kind: ErrorKind, reason: impl Into<String>) -> Self {
        let (path, reason) = (None, reason.into());
        Self { kind, path, reason }
    }

    /// Creates an [`ErrorKind::Input`] error.
    pub fn input(reason: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, reason)
    }

    /// Creates an [`ErrorKind::Internal`] error.
    pub fn internal(reason: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, reason)
    }

    /// Returns a closure that turns an I/O error on `path` into an [`Error`].
    pub fn system(path: &Path) -> impl Fn(std::io::Error) -> Self {
        |error| Self::internal(system::text(&error)).about(path)
    }

    /// Sets the file or folder that the error concerns.
    #[must_use]
    pub fn about(mut self, path: &Path) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the file or folder that the error concerns.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the text without the path.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// Returns the file that a text is about, before that text.
fn named(path: Option<&Path>) -> String {
    path.map_or_else(String::new, |path| format!("{}: ", path.display()))
}

impl From<Cancelled> for Error {
    fn from(cancelled: Cancelled) -> Self {
        Self::new(ErrorKind::Cancelled, cancelled.to_string())
    }
}

/// Keeps what a reader of keys reports about its source.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Interrupted => Cancelled.into(),
            Failure::Input(reason) => Self::input(reason),
            other => Self::internal(other.to_string()),
        }
    }
}

/// Maps each kind of error to the way a command exits.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error.kind {
            ErrorKind::Cancelled => Self::Interrupted,
            ErrorKind::Input => Self::input(error),
            _ => Self::internal(error),
        }
    }
}
