//! The error of everything here.

use std::fmt::{self, Display};
use std::io;
use std::path::Path;

/// The reason why a filter or a set was not built, read or merged. Its text names the file, if there is one.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    text: String,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument is wrong, or a file is not there or not of the expected kind.
    Input,
    /// A file differs from what it should hold.
    Damaged,
    /// The system refused to write: a full disk, for example.
    Write,
    /// Another process builds in the folder.
    Locked,
    /// The caller asked to stop.
    Stopped,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, text: impl Display) -> Self {
        let text = text.to_string();
        Self { kind, text }
    }

    pub(crate) fn input(text: impl Display) -> Self {
        Self::new(ErrorKind::Input, text)
    }

    /// Makes an error about a file.
    pub(crate) fn about(kind: ErrorKind, path: &Path, reason: impl Display) -> Self {
        Self::new(kind, format_args!("{}: {reason}", path.display()))
    }

    /// Converts an error of reading a file.
    pub(crate) fn reading(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::about(ErrorKind::Input, path, error)
    }

    /// Converts an error of writing a file.
    pub(crate) fn writing(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::about(ErrorKind::Write, path, error)
    }

    /// Returns the kind.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}
