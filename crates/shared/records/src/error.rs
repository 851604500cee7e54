//! The error type of this crate. The variant decides how a command exits; the text is for people.

use core::fmt;
use std::path::{Path, PathBuf};

use terminal::failure::Failure;
use terminal::progress::Cancelled;
use terminal::system;

/// The reason why a run or a command failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The run was stopped on request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The user can correct the arguments, files or folders; nothing was written.
    #[error("{0}")]
    Input(Details),
    /// A record file was written by another program, or by another version of this program.
    #[error("{0}")]
    Foreign(Details),
    /// A record file was changed after the run: its SHA-256 is not the one in `run.json`.
    #[error("{0}")]
    Changed(Details),
    /// A record file is damaged, the operating system reported a failure, or this program is at fault.
    #[error("{0}")]
    Internal(Details),
}

/// The file and the reason that an [`Error`] names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// The file or folder, if it is about one.
    pub path: Option<PathBuf>,
    /// The text without the path.
    pub reason: String,
}

impl Details {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        let (path, reason) = (None, reason.into());
        Self { path, reason }
    }
}

impl fmt::Display for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        f.write_str(&self.reason)
    }
}

impl Error {
    /// Creates an [`Error::Input`].
    pub fn input(reason: impl Into<String>) -> Self {
        Self::Input(Details::new(reason))
    }

    /// Creates an [`Error::Internal`].
    pub fn internal(reason: impl Into<String>) -> Self {
        Self::Internal(Details::new(reason))
    }

    /// Returns a closure that turns an I/O error on `path` into an [`Error`].
    pub fn system(path: &Path) -> impl Fn(std::io::Error) -> Self {
        |error| Self::internal(system::text(&error)).about(path)
    }

    /// Sets the file or folder that the error concerns.
    #[must_use]
    pub fn about(mut self, path: &Path) -> Self {
        if let Some(details) = self.details_mut() {
            details.path = Some(path.to_owned());
        }
        self
    }

    pub(crate) fn details_mut(&mut self) -> Option<&mut Details> {
        match self {
            Self::Cancelled(_) => None,
            Self::Input(details)
            | Self::Foreign(details)
            | Self::Changed(details)
            | Self::Internal(details) => Some(details),
        }
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

/// Maps each error to the way a command exits.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Cancelled(_) => Self::Interrupted,
            Error::Input(_) => Self::input(error),
            _ => Self::internal(error),
        }
    }
}
