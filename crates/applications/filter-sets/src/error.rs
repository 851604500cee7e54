//! The error type of the crate.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a filter or a set was not built, read or merged. Its text names the file, if there is one.
///
/// | error | what to do |
/// |---|---|
/// | [`InvalidArgument`](Self::InvalidArgument), [`Incompatible`](Self::Incompatible) | choose other arguments; the text has the range |
/// | [`MemoryTooSmall`](Self::MemoryTooSmall) | build with more memory, or a set with more shards; the fields have the numbers |
/// | [`OutOfMemory`](Self::OutOfMemory) | make a smaller filter |
/// | [`NotFound`](Self::NotFound) | build the filter or the set: it is not there |
/// | [`WrongFormat`](Self::WrongFormat) | open the file as the text says |
/// | [`NoFilter`](Self::NoFilter) | give the filter's format, or build the filter again |
/// | [`Damaged`](Self::Damaged) | build the filter or the set again |
/// | [`Read`](Self::Read), [`Write`](Self::Write) | see [`source`](std::error::Error::source): the disk may be full, for example |
/// | [`Locked`](Self::Locked) | wait for the other builder |
/// | [`Stopped`](Self::Stopped) | nothing: the caller's progress function stopped the building |
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument is out of its range, or does not suit the format or the folder.
    #[error("{reason}")]
    InvalidArgument {
        /// The argument, its range and its value.
        reason: String,
    },
    /// A filter needs more than half of the memory of its [`Builder`](crate::Builder::memory).
    #[error("a filter of {keys} keys needs {} bytes to build, more than half of the memory of {given} bytes", memory / 2)]
    MemoryTooSmall {
        /// The number of keys of the filter.
        keys: u64,
        /// The builder's memory in bytes.
        given: u64,
        /// The memory in bytes that suffices.
        memory: u64,
        /// A number of shards for which the memory suffices, if there is one.
        shards: Option<u32>,
    },
    /// The allocator refused the memory of a filter or of its hash values.
    #[error("{reason}")]
    OutOfMemory {
        /// The memory that was refused.
        reason: String,
    },
    /// Filters or sets differ in what they must have in common to be merged or reloaded.
    #[error("{}: {reason}", path.display())]
    Incompatible {
        /// The file or folder that does not fit the others.
        path: PathBuf,
        /// The difference.
        reason: String,
    },
    /// A file or a folder is not there.
    #[error("{}: {source}", path.display())]
    NotFound {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file is not what it was opened as, and may be intact: it has a filter of another format, or is a shard, a table or
    /// a Parquet file.
    #[error("{}{reason}", before(path.as_deref()))]
    WrongFormat {
        /// The file; `None` if bytes were given.
        path: Option<PathBuf>,
        /// The kind of the file, or the argument that is missing.
        reason: String,
    },
    /// A file without a checksum is no filter of the format: it has another one, or was cut or damaged.
    #[error("{}{reason}", before(path.as_deref()))]
    NoFilter {
        /// The file; `None` if bytes were given.
        path: Option<PathBuf>,
        /// The part that the bytes lack.
        reason: String,
    },
    /// A file does not have the contents that it should have.
    #[error("{}{reason}", before(path.as_deref()))]
    Damaged {
        /// The file; `None` if bytes were given.
        path: Option<PathBuf>,
        /// The contents that differ.
        reason: String,
    },
    /// The system refused to read a file.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The system refused to write: a full disk, for example.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Another process builds in the folder.
    #[error("{}: another process is building in this folder", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// The caller's progress function stopped the building.
    #[error("stopped")]
    Stopped,
}

/// Returns the name of the file before the reason.
fn before(path: Option<&Path>) -> String {
    path.map_or_else(String::new, |path| format!("{}: ", path.display()))
}

/// Checks what must be true of an argument or of bytes. The text is that of the error otherwise; a caller that knows
/// the file makes another error of it.
pub(crate) fn ensure(is_right: bool, text: impl FnOnce() -> String) -> Result<(), Error> {
    is_right.then_some(()).ok_or_else(|| Error::argument(text()))
}

impl Error {
    pub(crate) fn argument(reason: impl Display) -> Self {
        let reason = reason.to_string();
        Self::InvalidArgument { reason }
    }

    /// Converts an error of a filter in memory.
    pub(crate) fn of_filter(error: membership_filters::Error) -> Self {
        match error {
            membership_filters::Error::OutOfMemory { .. } => Self::out_of_memory(error),
            _ => Self::argument(error),
        }
    }

    pub(crate) fn out_of_memory(reason: impl Display) -> Self {
        let reason = reason.to_string();
        Self::OutOfMemory { reason }
    }

    pub(crate) fn incompatible(path: &Path, reason: impl Display) -> Self {
        let (path, reason) = (path.into(), reason.to_string());
        Self::Incompatible { path, reason }
    }

    pub(crate) fn wrong_format(path: Option<&Path>, reason: impl Display) -> Self {
        let (path, reason) = (path.map(Into::into), reason.to_string());
        Self::WrongFormat { path, reason }
    }

    /// Converts an error of reading a filter.
    pub(crate) fn of_contents(path: Option<&Path>, error: Self) -> Self {
        let reason = error.to_string();
        match error {
            Self::OutOfMemory { .. } => Self::out_of_memory(before(path) + &reason),
            Self::WrongFormat { .. } => Self::wrong_format(path, reason),
            _ => Self::NoFilter {
                path: path.map(Into::into),
                reason,
            },
        }
    }

    pub(crate) fn damaged(path: Option<&Path>, reason: impl Display) -> Self {
        let (path, reason) = (path.map(Into::into), reason.to_string());
        Self::Damaged { path, reason }
    }

    /// Converts an error of reading a file.
    pub(crate) fn reading(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| {
            let path = path.into();
            match source.kind() {
                io::ErrorKind::NotFound => Self::NotFound { path, source },
                _ => Self::Read { path, source },
            }
        }
    }

    /// Converts an error of writing a file.
    pub(crate) fn writing(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Write {
            path: path.into(),
            source,
        }
    }
}
