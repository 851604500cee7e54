//! What can go wrong outside of the callbacks, which have an answer for everything.

use core::fmt;

/// Why a policy could not be handed to LevelDB, or what LevelDB reported.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The policy's name holds a NUL, where C would see its end.
    NulInName {
        /// The name.
        name: String,
        /// Where in it the first NUL is, in bytes.
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
        /// What was to be done: `open`, `put`, `get`, `delete`.
        action: &'static str,
        /// LevelDB's own words.
        message: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NulInName { name, position } => {
                write!(
                    f,
                    "the policy's name {name:?} has a NUL at byte {position}, names have none"
                )
            }
            #[cfg(feature = "leveldb")]
            Self::NulInPath { path } => write!(f, "the path must have no NUL, got {path:?}"),
            Self::NoMemory => write!(f, "no memory for a policy"),
            #[cfg(feature = "leveldb")]
            Self::LevelDb { action, message } => write!(f, "LevelDB, {action}: {message}"),
        }
    }
}

impl core::error::Error for Error {}
