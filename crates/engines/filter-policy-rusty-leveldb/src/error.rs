//! The reasons why a database is not opened.

use std::path::PathBuf;

use rusty_leveldb::Status;

/// The reason why a database was not opened or could not be checked. The database is unchanged, except perhaps with
/// [`Engine`](Self::Engine).
///
/// | error | what to do |
/// |---|---|
/// | [`EmptyName`](Self::EmptyName) | give the policy a name |
/// | [`ForeignFilters`](Self::ForeignFilters) | open with the policy that is named, or copy the database |
/// | [`Table`](Self::Table), [`Filters`](Self::Filters), [`Manifest`](Self::Manifest) | restore or repair the file; the `source` of the first says what is wrong |
/// | [`OldTableName`](Self::OldTableName) | rename the table |
/// | [`Engine`](Self::Engine) | what the engine's own error says, which is the `source` |
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The policy has no name: the engine panics when it looks for a filter without one.
    #[error("the policy's name must have at least 1 byte, got 0")]
    EmptyName,
    /// The engine would read filters of another policy with ours, and deny stored keys.
    #[error(
        "{}: policy of the filters must be {ours:?}, got {found:?}: rusty-leveldb does not compare names and would \
         deny stored keys; open the database with the policy that wrote it, or copy it through an iterator \
         into a new one",
        table.display()
    )]
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
    #[error("{}: {source}", table.display())]
    Table {
        /// The table.
        table: PathBuf,
        /// The error of the table.
        source: filter_tables::Error<Status>,
    },
    /// The table has filters of our policy with which the engine would panic or deny stored keys.
    #[error("{}: {reason}", table.display())]
    Filters {
        /// The table.
        table: PathBuf,
        /// The reason why the filters are refused.
        reason: String,
    },
    /// The table has the file extension of LevelDB 1.13 and older, `.sst`. The engine does not look for it and would
    /// report its keys as absent.
    #[error(
        "{}: table name must end in .ldb, because rusty-leveldb reports the keys of other files as absent; \
         rename the table",
        table.display()
    )]
    OldTableName {
        /// The table.
        table: PathBuf,
    },
    /// The file that lists the database's tables, or the one that names it, is damaged or RocksDB's.
    #[error("{}: {reason}", manifest.display())]
    Manifest {
        /// The file.
        manifest: PathBuf,
        /// The rule that the file breaks.
        reason: &'static str,
    },
    /// An error of the engine or its environment.
    #[error("rusty-leveldb: {0}")]
    Engine(#[from] Status),
}
