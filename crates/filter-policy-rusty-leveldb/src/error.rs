//! Why a database is not opened.

use std::fmt;
use std::io::ErrorKind;
use std::path::PathBuf;

use filter_policy::filter_block::FilterBlockDamage;
use filter_policy::table::TableError;
use rusty_leveldb::Status;

use crate::policy::EmptyName;

/// Why a database was not opened, or could not be checked. Nothing in it was changed, unless it is
/// [`Engine`](Self::Engine) that says so.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The policy has no name.
    Name(EmptyName),
    /// The engine would ask our policy about the filters of another one, and deny keys that are there.
    ForeignFilters {
        /// The first table in which it would.
        table: PathBuf,
        /// The name in the table's metaindex: a policy's, or the whole entry where it is none.
        found: String,
        /// The name of our policy.
        ours: String,
    },
    /// The table's footer, metaindex, index or filter block cannot be read or is damaged. The engine would
    /// panic, or say of keys in it that they are absent.
    Table {
        /// The table.
        table: PathBuf,
        /// What is wrong.
        source: TableError<Status>,
    },
    /// The table has filters of our policy by which the engine would panic or deny keys that are there.
    Filters {
        /// The table.
        table: PathBuf,
        /// What is wrong.
        defect: FilterDefect,
    },
    /// The table has the name of LevelDB 1.13 and older, `.sst`, under which the engine does not look for it:
    /// it would say of keys in it that they are absent.
    OldTableName {
        /// The table.
        table: PathBuf,
    },
    /// The file that says which tables belong to the database cannot be read or is damaged.
    Manifest {
        /// The file.
        manifest: PathBuf,
        /// What is wrong.
        defect: ManifestDefect,
    },
    /// What the engine, or its environment, says.
    Engine(Status),
}

/// Why the engine cannot use the filters of a table, although they have our policy's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterDefect {
    /// The entry of the metaindex is shorter than the eight bytes that the engine cuts off it.
    ShortEntry {
        /// Its length in bytes.
        len: usize,
    },
    /// The offsets of the filter block are damaged.
    Offsets(FilterBlockDamage),
    /// A data block has no filter, or an empty one. The engine panics for an empty filter and for the number that
    /// follows the last one. Further behind it says "may match"; no writer leaves data blocks there, so that such
    /// a table is refused too.
    NoFilter {
        /// Where the data block starts in the file.
        block_offset: u64,
    },
    /// The filter block is marked as compressed, and the engine would read it as it is.
    Compressed {
        /// The byte that tells the compression.
        compression: u8,
    },
}

/// What is wrong with a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ManifestDefect {
    /// `CURRENT` names no manifest.
    Name,
    /// It cannot be read.
    Read {
        /// What the environment says.
        kind: ErrorKind,
    },
    /// A piece of a record says that it is longer than what is left of its block.
    Length,
    /// A piece of a record does not have its checksum.
    Checksum,
    /// The pieces of a record are not in sequence.
    Sequence,
    /// A record is no version edit.
    Edit,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(error) => error.fmt(f),
            Self::ForeignFilters { table, found, ours } => write!(
                f,
                "{}: the filters are of the policy {found:?}, ours is {ours:?}: rusty-leveldb does not compare \
                 the names, would ask ours about them, and deny keys that are there; open the database with the \
                 policy that wrote it, or copy it through an iterator into a new one",
                table.display()
            ),
            Self::Table { table, source } => write!(f, "{}: {source}", table.display()),
            Self::Filters { table, defect } => write!(f, "{}: {defect}", table.display()),
            Self::OldTableName { table } => write!(
                f,
                "{}: rusty-leveldb looks for tables named .ldb alone, and says of keys in others that they are \
                 absent; rename the table",
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
                "an entry of the metaindex has {len} bytes, rusty-leveldb panics below 8"
            ),
            Self::Offsets(damage) => damage.fmt(f),
            Self::NoFilter { block_offset } => write!(
                f,
                "the data block at offset {block_offset} has no filter, for which rusty-leveldb can panic"
            ),
            Self::Compressed { compression } => write!(
                f,
                "the filter block has the compression {compression}, rusty-leveldb reads it as if it had none"
            ),
        }
    }
}

impl std::error::Error for FilterDefect {}

impl fmt::Display for ManifestDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => f.write_str("the contents must be a line with `MANIFEST-` and a number"),
            Self::Read { kind } => write!(f, "cannot be read: {kind}"),
            Self::Length => f.write_str("a piece of a record is longer than its block"),
            Self::Checksum => f.write_str("a piece of a record does not have its checksum"),
            Self::Sequence => f.write_str("the pieces of a record are not in sequence"),
            Self::Edit => f.write_str("a record is no version edit of LevelDB's"),
        }
    }
}

impl std::error::Error for ManifestDefect {}
