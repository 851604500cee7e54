//! The error type of the crate.

use std::fmt::Display;
use std::io;
use std::path::Path;

/// The reason why a filter or a set was not built, read or merged. Its text names the file, if there is one.
///
/// | [`kind`](Self::kind) | what to do |
/// |---|---|
/// | [`InvalidArgument`](ErrorKind::InvalidArgument), [`Incompatible`](ErrorKind::Incompatible) | choose other arguments; the text has the range |
/// | [`MemoryTooSmall`](ErrorKind::MemoryTooSmall) | build with more memory, or a set with more shards; the kind has the numbers |
/// | [`NotFound`](ErrorKind::NotFound) | build the filter or the set: it is not there |
/// | [`WrongFormat`](ErrorKind::WrongFormat) | open the file with the format in the text |
/// | [`Damaged`](ErrorKind::Damaged) | build the filter or the set again |
/// | [`Read`](ErrorKind::Read), [`Write`](ErrorKind::Write) | see [`source`](std::error::Error::source): the disk may be full, for example |
/// | [`Locked`](ErrorKind::Locked) | wait for the other builder |
/// | [`Stopped`](ErrorKind::Stopped) | nothing: the caller's progress function stopped the building |
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    kind: ErrorKind,
    text: String,
    source: Option<io::Error>,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument is out of its range, or does not suit the format or the folder.
    InvalidArgument,
    /// A filter needs more than half of the memory of its [`Builder`](crate::Builder::memory).
    MemoryTooSmall {
        /// The memory in bytes that suffices.
        memory: u64,
        /// A number of shards for which the memory suffices, if there is one.
        shards: Option<u32>,
    },
    /// Filters or sets differ in what they must have in common to be merged or reloaded.
    Incompatible,
    /// A file or a folder is not there.
    NotFound,
    /// A file is no filter, or its format is not the given one.
    WrongFormat,
    /// A file does not have the contents that it should have.
    Damaged,
    /// The system refused to read a file.
    Read,
    /// The system refused to write: a full disk, for example.
    Write,
    /// Another process builds in the folder.
    Locked,
    /// The caller's progress function stopped the building.
    Stopped,
}

/// Checks what must be true of an argument or of bytes. The text is that of the error otherwise; a caller that knows
/// the file makes an error of another kind of it.
pub(crate) fn ensure(is_right: bool, text: impl FnOnce() -> String) -> Result<(), Error> {
    is_right.then_some(()).ok_or_else(|| Error::argument(text()))
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, text: impl Display) -> Self {
        let (text, source) = (text.to_string(), None);
        Self { kind, text, source }
    }

    pub(crate) fn argument(text: impl Display) -> Self {
        Self::new(ErrorKind::InvalidArgument, text)
    }

    /// Returns an error about a file.
    pub(crate) fn about(kind: ErrorKind, path: &Path, reason: impl Display) -> Self {
        Self::new(kind, format_args!("{}: {reason}", path.display()))
    }

    /// Returns a function that makes an error of this kind about a file, from one about its contents.
    pub(crate) fn at(kind: ErrorKind, path: &Path) -> impl Fn(Self) -> Self {
        move |Self { text, source, .. }| Self {
            source,
            ..Self::about(kind, path, text)
        }
    }

    /// Converts an error of reading a file.
    pub(crate) fn reading(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| {
            let kind = match error.kind() {
                io::ErrorKind::NotFound => ErrorKind::NotFound,
                _ => ErrorKind::Read,
            };
            Self::about(kind, path, &error).caused_by(error)
        }
    }

    /// Converts an error of writing a file.
    pub(crate) fn writing(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::about(ErrorKind::Write, path, &error).caused_by(error)
    }

    pub(crate) fn caused_by(mut self, source: io::Error) -> Self {
        self.source = Some(source);
        self
    }

    /// Returns the kind.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }
}
