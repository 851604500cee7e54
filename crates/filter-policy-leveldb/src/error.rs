//! The errors outside the callbacks, which themselves have an answer in every case.

use core::fmt;

/// The reason why a policy could not be handed to LevelDB, or an error that LevelDB reported.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The policy's name holds a NUL, at which it would end for C.
    NulInName {
        /// The name.
        name: String,
        /// The position of the first NUL in the name, in bytes.
        position: usize,
    },
    /// The path of a database holds a NUL.
    #[cfg(feature = "leveldb")]
    NulInPath {
        /// The path.
        path: std::path::PathBuf,
    },
    /// The allocator refused the memory for a policy.
    NoMemory,
    /// LevelDB reported an error.
    #[cfg(feature = "leveldb")]
    LevelDb {
        /// The operation: `open`, `put`, `get`, `delete`.
        action: &'static str,
        /// LevelDB's message.
        message: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NulInName { name, position } => {
                write!(
                    f,
                    "policy name must have no NUL, got {name:?} with one at byte {position}"
                )
            }
            #[cfg(feature = "leveldb")]
            Self::NulInPath { path } => write!(f, "path must have no NUL, got {path:?}"),
            Self::NoMemory => write!(f, "cannot allocate memory for a policy"),
            #[cfg(feature = "leveldb")]
            Self::LevelDb { action, message } => write!(f, "LevelDB, {action}: {message}"),
        }
    }
}

impl core::error::Error for Error {}
