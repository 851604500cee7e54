//! The reasons why a database is not opened.

use std::fmt;
use std::io::ErrorKind;
use std::path::PathBuf;

use filter_policy::filter_block::FilterBlockDamage;
use filter_tables::TableError;
use rusty_leveldb::Status;

use crate::policy::EmptyName;

/// The reason why a database was not opened or could not be checked. The database is unchanged, except perhaps with
/// [`Engine`](Self::Engine).
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The policy has no name.
    Name(EmptyName),
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
        /// The defect.
        defect: FilterDefect,
    },
    /// The table has the file extension of LevelDB 1.13 and older, `.sst`. The engine does not look for it and would
    /// report its keys as absent.
    OldTableName {
        /// The table.
        table: PathBuf,
    },
    /// The file that lists the database's tables cannot be read or is damaged.
    Manifest {
        /// The file.
        manifest: PathBuf,
        /// The defect.
        defect: ManifestDefect,
    },
    /// An error of the engine or its environment.
    Engine(Status),
}

/// A defect that keeps the engine from using a table's filters, although they have our policy's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterDefect {
    /// The entry of the metaindex is shorter than the eight bytes that the engine cuts off.
    ShortEntry {
        /// The entry's length in bytes.
        len: usize,
    },
    /// The offsets of the filter block are damaged.
    Offsets(FilterBlockDamage),
    /// A data block has no filter, or an empty one. The engine panics on an empty filter and on the number after the
    /// last filter. For later numbers it answers "may match", but no writer leaves data blocks there, so such a table
    /// is refused too.
    NoFilter {
        /// The data block's offset in the file.
        block_offset: u64,
    },
    /// The filter block is marked as compressed, but the engine would not decompress it.
    Compressed {
        /// The compression byte.
        compression: u8,
    },
}

/// A defect of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ManifestDefect {
    /// `CURRENT` names no manifest.
    Name,
    /// The file cannot be read.
    Read {
        /// The error of the environment.
        kind: ErrorKind,
    },
    /// A record fragment exceeds the rest of its block.
    Length,
    /// A record fragment does not match its checksum.
    Checksum,
    /// The fragments of a record are not in sequence.
    Sequence,
    /// A record is not a version edit.
    Edit,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(error) => error.fmt(f),
            Self::ForeignFilters { table, found, ours } => write!(
                f,
                "{}: policy of the filters must be {ours:?}, got {found:?}: rusty-leveldb does not compare names and would \
                 deny stored keys; open the database with the policy that wrote it, or copy it through an iterator \
                 into a new one",
                table.display()
            ),
            Self::Table { table, source } => write!(f, "{}: {source}", table.display()),
            Self::Filters { table, defect } => write!(f, "{}: {defect}", table.display()),
            Self::OldTableName { table } => write!(
                f,
                "{}: table name must end in .ldb, because rusty-leveldb reports the keys of other files as absent; \
                 rename the table",
                table.display()
            ),
            Self::Manifest { manifest, defect } => write!(f, "{}: {defect}", manifest.display()),
            Self::Engine(status) => write!(f, "rusty-leveldb: {status}"),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Name(error) => Some(error),
            Self::Table { source, .. } => Some(source),
            Self::Filters { defect, .. } => Some(defect),
            Self::Manifest { defect, .. } => Some(defect),
            Self::Engine(status) => Some(status),
            Self::ForeignFilters { .. } | Self::OldTableName { .. } => None,
        }
    }
}

impl From<EmptyName> for OpenError {
    fn from(error: EmptyName) -> Self {
        Self::Name(error)
    }
}

impl From<Status> for OpenError {
    fn from(status: Status) -> Self {
        Self::Engine(status)
    }
}

impl fmt::Display for FilterDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ShortEntry { len } => write!(
                f,
                "metaindex entry must be at least 8 bytes, got {len}, on which rusty-leveldb panics"
            ),
            Self::Offsets(damage) => damage.fmt(f),
            Self::NoFilter { block_offset } => write!(
                f,
                "data block at offset {block_offset} must have a filter, because rusty-leveldb can panic without one"
            ),
            Self::Compressed { compression } => write!(
                f,
                "compression of the filter block must be 0, because rusty-leveldb does not decompress it, got {compression}"
            ),
        }
    }
}

impl std::error::Error for FilterDefect {}

impl fmt::Display for ManifestDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => f.write_str("contents must be a line with `MANIFEST-` and a number"),
            Self::Read { kind } => write!(f, "cannot be read: {kind}"),
            Self::Length => f.write_str("record fragment must lie within its block"),
            Self::Checksum => f.write_str("record fragment must match its checksum"),
            Self::Sequence => f.write_str("record fragments must be in sequence"),
            Self::Edit => f.write_str("record must be one of LevelDB's version edits"),
        }
    }
}

impl std::error::Error for ManifestDefect {}
