//! Why records could not be read or written.

use std::path::{Path, PathBuf};

use super::files::RUN;
use crate::system;

/// Why records could not be read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordsError {
    /// The file could not be opened, read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is another program's, or of another version of this one.
    Foreign {
        /// The file.
        path: PathBuf,
        /// What says so.
        reason: String,
    },
    /// The file is not what this program writes.
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, field and what is allowed.
        reason: String,
    },
    /// The file is not what the run wrote: its SHA-256 is not the one in `run.json`.
    Changed {
        /// The file.
        path: PathBuf,
    },
}

impl std::fmt::Display for RecordsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "{}: {}", path.display(), system::text(source)),
            Self::Foreign { path, reason } | Self::Malformed { path, reason } => {
                write!(f, "{}: {reason}", path.display())
            }
            Self::Changed { path } => write!(
                f,
                "{}: is not what the run wrote: its SHA-256 is not the one in {RUN}; restore the file, or run \
                 `compare` again",
                path.display()
            ),
        }
    }
}

impl std::error::Error for RecordsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Foreign { .. } | Self::Malformed { .. } | Self::Changed { .. } => None,
        }
    }
}

/// The error of a file that is not what this program writes.
pub(super) fn malformed(path: &Path, reason: impl Into<String>) -> RecordsError {
    RecordsError::Malformed {
        path: path.to_owned(),
        reason: reason.into(),
    }
}

/// The error of a file that the system refuses.
pub(super) fn io(path: &Path) -> impl Fn(std::io::Error) -> RecordsError {
    |source| RecordsError::Io {
        path: path.to_owned(),
        source,
    }
}
