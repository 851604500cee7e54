//! The reasons why a database is not opened.

use std::fmt;
use std::path::PathBuf;

use filter_tables::TableError;
use rusty_leveldb::Status;

/// The reason why a database was not opened or could not be checked. The database is unchanged, except perhaps with
/// [`Engine`](Self::Engine).
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The policy has no name: the engine panics when it looks for a filter without one.
    EmptyName,
    /// The engine would read filters of another policy with ours, and deny stored keys.
    ForeignFilters {
        /// The first such table.
        table: PathBuf,
        /// The policy's name in the table's metaindex, or the whole entry if it is not a policy's.
        found: String,
        /// The name of our policy.
        ours: String,
    },
    /// The table's footer, metaindex, index or filter block cannot be read or is damaged. The engine would panic, or
    /// report keys in it as absent.
    Table {
        /// The table.
        table: PathBuf,
        /// The error of the table.
        source: TableError<Status>,
    },
    /// The table has filters of our policy with which the engine would panic or deny stored keys.
    Filters {
        /// The table.
        table: PathBuf,
        /// What is wrong with them.
        reason: String,
    },
    /// The table has the file extension of LevelDB 1.13 and older, `.sst`. The engine does not look for it and would
    /// report its keys as absent.
    OldTableName {
        /// The table.
        table: PathBuf,
    },
    /// The file that lists the database's tables, or the one that names it, is damaged.
    Manifest {
        /// The file.
        manifest: PathBuf,
        /// What it should be.
        reason: &'static str,
    },
    /// An error of the engine or its environment.
    Engine(Status),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyName => f.write_str("the policy's name must have at least 1 byte, got 0"),
            Self::ForeignFilters { table, found, ours } => write!(
                f,
                "{}: policy of the filters must be {ours:?}, got {found:?}: rusty-leveldb does not compare names and would \
                 deny stored keys; open the database with the policy that wrote it, or copy it through an iterator \
                 into a new one",
                table.display()
            ),
            Self::Table { table, source } => write!(f, "{}: {source}", table.display()),
            Self::Filters { table, reason } => write!(f, "{}: {reason}", table.display()),
            Self::OldTableName { table } => write!(
                f,
                "{}: table name must end in .ldb, because rusty-leveldb reports the keys of other files as absent; \
                 rename the table",
                table.display()
            ),
            Self::Manifest { manifest, reason } => write!(f, "{}: {reason}", manifest.display()),
            Self::Engine(status) => write!(f, "rusty-leveldb: {status}"),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Table { source, .. } => Some(source),
            Self::Engine(status) => Some(status),
            _ => None,
        }
    }
}

impl From<Status> for OpenError {
    fn from(status: Status) -> Self {
        Self::Engine(status)
    }
}
