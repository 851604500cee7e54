//! The errors of adding filters and of checking them.

use alloc::format;
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
    /// The options are wrong, or filters cannot be added to a file like this.
    #[error("{0}")]
    Refused(String),
    /// The work needs more memory than it may have.
    #[error(
        "column {column}, row group {row_group}: its pages and its filter need {needed} bytes of memory, but may have {allowed}"
    )]
    Memory {
        /// The path of the column.
        column: String,
        /// The number of the row group, from 0.
        row_group: u64,
        /// The bytes that are needed.
        needed: u64,
        /// The most bytes that are allowed.
        allowed: u64,
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
    /// The file is not the same as before.
    #[error("it changed while it was read")]
    Changed,
    /// The caller wanted to stop.
    #[error("stopped")]
    Stopped,
    /// The new file cannot be written.
    #[error("cannot write: {0}")]
    Write(#[source] std::io::Error),
}

impl<E> AddError<E> {
    /// Returns true if the file may be intact and the system healthy, but file or options are refused.
    pub const fn is_refusal(&self) -> bool {
        match self {
            Self::File(Error::Size(_) | Error::Read { .. } | Error::AllocationFailed { .. }) => false,
            Self::File(error) => !error.is_damage(),
            Self::Refused(_) | Self::Memory { .. } => true,
            Self::Page { .. } | Self::Changed | Self::Stopped | Self::Write(_) => false,
        }
    }

    pub(super) fn refused(chunk: &ColumnChunk, reason: &str) -> Self {
        Self::Refused(format!(
            "column {}, row group {}: {reason}",
            chunk.path, chunk.row_group
        ))
    }
}
