//! Errors of adding filters and of checking them.

use alloc::string::String;

use crate::column::ColumnChunk;
use crate::error::Error;

/// The reason why filters were not added or checked; `E` is the error type of the reader.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddError<E> {
    /// The file, its footer or a filter cannot be read.
    #[error(transparent)]
    File(#[from] Error<E>),
    /// An option is outside of its range.
    #[error("{what} must be {allowed}, got {given}")]
    Option {
        /// The name of the option.
        what: &'static str,
        /// The allowed values.
        allowed: &'static str,
        /// The given value.
        given: f64,
    },
    /// The file has no such column.
    #[error("the column must be one of the file's, got {column:?}: it has {known}")]
    UnknownColumn {
        /// The given path.
        column: String,
        /// The paths of the file's columns, as far as a message has room for them.
        known: String,
    },
    /// Filters cannot be added to a file or a column like this.
    #[error("{}{reason}", prefix(column))]
    Refused {
        /// The path of the column; empty if the reason concerns the whole file.
        column: String,
        /// The reason.
        reason: String,
    },
    /// A page has bytes that the format does not allow, or that cannot be decoded.
    #[error("column {column}, row group {row_group}, page {page}: {reason}")]
    Page {
        /// The path of the column.
        column: String,
        /// The number of the row group, from 0.
        row_group: u64,
        /// The number of the page in the column chunk, from 0; a dictionary counts.
        page: u64,
        /// The damage.
        reason: String,
    },
    /// The memory does not suffice for a page, the hash values of a column chunk, and its filter.
    #[error(
        "column {column}, row group {row_group}: the memory must be at least {needed} bytes for its pages and its filter, got {allowed}"
    )]
    Memory {
        /// The path of the column.
        column: String,
        /// The number of the row group, from 0.
        row_group: u64,
        /// The number of bytes that are needed.
        needed: u64,
        /// The number of bytes that are allowed.
        allowed: u64,
    },
    /// The file is another one than before.
    #[error("the file changed while it was read")]
    Changed,
    /// The caller wanted to stop.
    #[error("stopped")]
    Stopped,
    /// The new file cannot be written.
    #[error("cannot write: {0}")]
    Write(#[source] std::io::Error),
}

/// Returns the beginning of a message on a column.
fn prefix(column: &str) -> String {
    match column {
        "" => String::new(),
        _ => alloc::format!("column {column}: "),
    }
}

impl<E> AddError<E> {
    /// Returns true if the file may be intact and the system healthy, but the file or the options are refused.
    pub const fn is_refusal(&self) -> bool {
        match self {
            Self::File(Error::Size(_) | Error::Read { .. } | Error::AllocationFailed { .. }) => false,
            Self::File(error) => !error.is_damage(),
            Self::Option { .. }
            | Self::UnknownColumn { .. }
            | Self::Refused { .. }
            | Self::Memory { .. }
            | Self::Changed => true,
            Self::Page { .. } | Self::Stopped | Self::Write(_) => false,
        }
    }

    pub(super) fn refused(chunk: &ColumnChunk, reason: impl Into<String>) -> Self {
        Self::Refused {
            column: chunk.path.clone(),
            reason: reason.into(),
        }
    }
}
