//! Errors of reading a table or one of its blocks.

use alloc::format;
use alloc::string::String;
use core::fmt;

use super::footer::{BlockHandle, FOOTER_LEN, MAGIC, RocksDbForm};

/// The role of a block in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockRole {
    /// Names the other blocks that are not data, filter blocks above all.
    Metaindex,
    /// Names the data blocks.
    Index,
    /// The filters of one policy.
    Filter,
    /// Keys and values.
    Data,
    /// The properties of a RocksDB table.
    Properties,
    /// A part of a partitioned index in a RocksDB table; names data blocks.
    IndexPartition,
    /// Names the parts of a partitioned filter in a RocksDB table.
    FilterIndex,
    /// The footer of a RocksDB table from format version 6 on, which has a checksum of its own.
    Footer,
}

impl fmt::Display for BlockRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Metaindex => "metaindex",
            Self::Index => "index block",
            Self::Filter => "filter block",
            Self::Data => "data block",
            Self::Properties => "properties block",
            Self::IndexPartition => "index partition",
            Self::FilterIndex => "index of the filter partitions",
            Self::Footer => "footer",
        })
    }
}

/// Damage in the bytes of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The handle of a block cannot be decoded.
    #[error("handle of the {block} must be two numbers of at most 64 bits")]
    Handle {
        /// The role of the block that the handle points at.
        block: BlockRole,
    },
    /// A block lies, at least partly, outside the part of the file that holds blocks.
    #[error(
        "{block} and its trailer must end before the footer at offset {end}, got {} bytes at offset {}",
        handle.size,
        handle.offset
    )]
    Outside {
        /// The block's role.
        block: BlockRole,
        /// The stored handle.
        handle: BlockHandle,
        /// The start of the footer: blocks and their trailers lie before it.
        end: u64,
    },
    /// The contents do not match the checksum stored after them.
    #[error("checksum of the {block} at offset {offset} must be {stored:#010x}, got {computed:#010x}")]
    Checksum {
        /// The block's role.
        block: BlockRole,
        /// The block's offset in the file.
        offset: u64,
        /// The checksum in the file.
        stored: u32,
        /// The checksum of the contents.
        computed: u32,
    },
    /// The contents are too short for the stored number of restart points.
    #[error("restart points of the {block} must fit into its {size} bytes")]
    Restarts {
        /// The block's role.
        block: BlockRole,
        /// The length of the contents in bytes.
        size: usize,
    },
    /// A number in the footer of a RocksDB table is not a known one. Another writer may know it, so this becomes
    /// [`Error::UnknownValue`].
    #[error("{what} in the footer must be {allowed}, got {found:#x}")]
    Footer {
        /// The name of the number.
        what: &'static str,
        /// The allowed values, in words.
        allowed: &'static str,
        /// The number found.
        found: u32,
    },
    /// A property of a RocksDB table has an unknown value. Another writer may know it, so this becomes
    /// [`Error::UnknownValue`].
    #[error("property {name} must have a known value")]
    Property {
        /// The property's name.
        name: &'static str,
    },
    /// An entry is truncated, or shares more bytes with the previous key than that key has.
    #[error(
        "entry at byte {position} of the {block} must lie within the block and share at most the length of the previous key"
    )]
    Entry {
        /// The block's role.
        block: BlockRole,
        /// The entry's offset in the contents.
        position: usize,
    },
    /// A key is longer than the memory has room for, which may be no damage.
    #[error("cannot allocate {bytes} bytes for a key of the {block}")]
    KeyAllocation {
        /// The block's role.
        block: BlockRole,
        /// The length of the key.
        bytes: usize,
    },
}

/// The reason why reading a table, or a block of it, failed; `E` is the error type of the reader.
///
/// | error | what it means | what to do |
/// |---|---|---|
/// | [`Read`](Self::Read) | the reader could not provide the bytes; its error is the `source` | try again |
/// | [`TooShort`](Self::TooShort), [`UnknownMagic`](Self::UnknownMagic) | no table | |
/// | [`RocksDb`](Self::RocksDb), [`NotRocksDb`](Self::NotRocksDb) | a table of the other kind | [`RocksDbTable`](crate::RocksDbTable), [`Table`](crate::Table) |
/// | [`Unsupported`](Self::Unsupported), [`UnknownValue`](Self::UnknownValue), [`TooLarge`](Self::TooLarge) | a valid table that this crate does not read | a feature, if the message names one; read without filters |
/// | [`Damaged`](Self::Damaged) | damage, with its place | read without filters, or restore the table |
/// | [`AllocationFailed`](Self::AllocationFailed) | no memory | try again with more |
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The reader could not provide the bytes.
    #[error("cannot {}: {source}", attempt(*offset, *len))]
    Read {
        /// The offset in the file; `None` when the size could not be read.
        offset: Option<u64>,
        /// The number of bytes requested.
        len: usize,
        /// The reader's error.
        source: E,
    },
    /// The file is shorter than a footer, so it is not a table.
    #[error("table must be at least {FOOTER_LEN} bytes, got {size}")]
    TooShort {
        /// The file's size in bytes.
        size: u64,
    },
    /// The last eight bytes belong to no known kind of table.
    #[error("last 8 bytes of a table of LevelDB must be {MAGIC:#018x}, got {found:#018x}")]
    UnknownMagic {
        /// The bytes found, as a little-endian number.
        found: u64,
    },
    /// The table is RocksDB's, not LevelDB's.
    #[error("table must be LevelDB's, got RocksDB's ({0})")]
    RocksDb(RocksDbForm),
    /// The table is not a block-based table of RocksDB.
    #[error("table must be a block-based table of RocksDB")]
    NotRocksDb,
    /// The table, or a block of it, has a form that is not read: a format version, checksum, arrangement of entries or
    /// compression.
    #[error("{reason}")]
    Unsupported {
        /// The form, and what is supported.
        reason: String,
    },
    /// The footer or a property has a value that another writer may know.
    #[error("{0}")]
    UnknownValue(Damage),
    /// The table is damaged.
    #[error("{0}")]
    Damaged(Damage),
    /// The block exceeds the size limit of its role.
    #[error("{block} must be at most {allowed} bytes, got {size}")]
    TooLarge {
        /// The block's role.
        block: BlockRole,
        /// The block's size in bytes, as stored or decompressed.
        size: u64,
        /// The maximum size.
        allowed: u64,
    },
    /// The allocator refused the memory.
    #[error("cannot allocate {bytes} bytes")]
    AllocationFailed {
        /// The number of bytes requested.
        bytes: usize,
    },
}

impl<E> Error<E> {
    /// Checks that a block, or what is made of it, has at most the allowed bytes.
    pub(super) fn check_size(block: BlockRole, size: u64, allowed: u64) -> Result<(), Self> {
        let too_large = Self::TooLarge { block, size, allowed };
        if size <= allowed { Ok(()) } else { Err(too_large) }
    }
}

impl<E> From<Damage> for Error<E> {
    fn from(damage: Damage) -> Self {
        match damage {
            Damage::KeyAllocation { bytes, .. } => Self::AllocationFailed { bytes },
            Damage::Footer { .. } | Damage::Property { .. } => Self::UnknownValue(damage),
            damage => Self::Damaged(damage),
        }
    }
}

fn attempt(offset: Option<u64>, len: usize) -> String {
    offset.map_or("give the size of the table".into(), |offset| {
        format!("read {len} bytes at offset {offset}")
    })
}
