//! One error for everything that can go wrong: its kind decides how a command ends, its text is for people.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::progress::Cancelled;
use crate::system;

/// Why something could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    path: Option<PathBuf>,
    reason: String,
}

/// What kind of [`Error`] it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The run was asked to stop.
    Cancelled,
    /// No function or dataset has this name.
    UnknownName,
    /// The user can mend it, by other arguments, files or folders; nothing was touched.
    Input,
    /// A file of records is another program's, or of another version of this one.
    Foreign,
    /// A file of records is not what this program writes.
    Malformed,
    /// A file of records is not what the run wrote: its SHA-256 is not the one in `run.json`.
    Changed,
    /// The system failed.
    System,
    /// This program is at fault.
    Internal,
}

impl Error {
    /// An error about no file.
    pub fn new(kind: ErrorKind, reason: impl Into<String>) -> Self {
        let (path, reason) = (None, reason.into());
        Self { kind, path, reason }
    }

    /// An error that the user can mend.
    pub fn input(reason: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, reason)
    }

    /// An error of this program.
    pub fn internal(reason: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, reason)
    }

    /// The error of a file that the system refuses.
    pub fn system(path: &Path) -> impl Fn(std::io::Error) -> Self {
        |error| Self::new(ErrorKind::System, system::text(&error)).about(path)
    }

    /// The same about this file or folder.
    #[must_use]
    pub fn about(mut self, path: &Path) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    /// What kind it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The file or folder that it is about.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What is wrong, without the file.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Error {}

impl From<Cancelled> for Error {
    fn from(cancelled: Cancelled) -> Self {
        Self::new(ErrorKind::Cancelled, cancelled.to_string())
    }
}
