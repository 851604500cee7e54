//! Errors of reading a table or one of its blocks.

use alloc::format;
use alloc::string::String;
use core::fmt;

use thiserror::Error;

use super::checksum::ChecksumKind;
use super::footer::{BlockHandle, FOOTER_LEN, MAGIC, MAX_FORMAT_VERSION, ROCKSDB_MARK, RocksDbForm};

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
        })
    }
}

/// Damage in the bytes of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
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
    /// The byte after the contents names no known compression.
    #[error("compression of the {block} at offset {offset} must be 0, 1 or 2, got {found}")]
    Compression {
        /// The block's role.
        block: BlockRole,
        /// The block's offset in the file.
        offset: u64,
        /// The byte.
        found: u8,
    },
    /// The contents are marked as compressed with Snappy and do not decompress.
    #[error("{block} at offset {offset} must be a Snappy stream, got bytes that do not decompress")]
    Snappy {
        /// The block's role.
        block: BlockRole,
        /// The block's offset in the file.
        offset: u64,
    },
    /// The contents are too short for the stored number of restart points.
    #[error("{}", restarts(*block, *count, *size))]
    Restarts {
        /// The block's role.
        block: BlockRole,
        /// The stored number of restart points; `None` when the block is too short to have one.
        count: Option<u32>,
        /// The length of the contents in bytes.
        size: usize,
    },
    /// The footer of a RocksDB table names an unknown kind of checksum.
    #[error("checksum kind in the footer must be between 0 and 4, got {found}")]
    ChecksumKind {
        /// The number found.
        found: u8,
    },
    /// The footer of a RocksDB table does not match its own checksum.
    #[error("checksum of the footer must be {stored:#010x}, got {computed:#010x}")]
    FooterChecksum {
        /// The checksum in the footer.
        stored: u32,
        /// The computed checksum.
        computed: u32,
    },
    /// The footer of a RocksDB table lacks the mark of its format version.
    #[error(
        "mark in the footer of format version {format_version} must be {ROCKSDB_MARK:02x?}, got {found:02x?}"
    )]
    FooterMark {
        /// The format version.
        format_version: u32,
        /// The four bytes at the mark's place.
        found: [u8; 4],
    },
    /// A property of a RocksDB table has an unknown value.
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
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TableError<E> {
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
    /// The table's format version is not supported.
    #[error("format version of the table must be between 0 and {MAX_FORMAT_VERSION}, got {found}")]
    UnsupportedVersion {
        /// The format version.
        found: u32,
    },
    /// The table's checksums are of a kind that needs the feature `xxhash`.
    #[error("the table's checksums are {kind}, which needs the feature `xxhash`")]
    UnsupportedChecksum {
        /// The kind.
        kind: ChecksumKind,
    },
    /// The block's layout is not supported.
    #[error("the {block} is laid out in a way that is not supported ({bits:#010x})")]
    UnsupportedLayout {
        /// The block's role.
        block: BlockRole,
        /// The bits of the block's last number that mark the layout.
        bits: u32,
    },
    /// The table is damaged.
    #[error("{0}")]
    Damaged(Damage),
    /// The compression of the contents is not supported.
    #[error("the {block} {}", compressed(*compression))]
    Unsupported {
        /// The block's role.
        block: BlockRole,
        /// The compression byte: 1 for Snappy, without the feature `snappy`; 2 for Zstandard.
        compression: u8,
    },
    /// The contents have a RocksDB compression that is not supported: any except Snappy.
    #[error(
        "the {block} has the compression {compression} ({}), which is not supported",
        rocksdb_compression(*compression)
    )]
    RocksDbCompression {
        /// The block's role.
        block: BlockRole,
        /// The compression byte.
        compression: u8,
    },
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

impl<E> From<Damage> for TableError<E> {
    fn from(damage: Damage) -> Self {
        match damage {
            Damage::KeyAllocation { bytes, .. } => Self::AllocationFailed { bytes },
            damage => Self::Damaged(damage),
        }
    }
}

fn restarts(block: BlockRole, count: Option<u32>, size: usize) -> String {
    match count {
        Some(count) => {
            format!("restart points of the {block} must fit into its {size} bytes, got {count} of 4 bytes")
        }
        None => format!("{block} must be at least 4 bytes, got {size}"),
    }
}

fn attempt(offset: Option<u64>, len: usize) -> String {
    offset.map_or("tell the size of the table".into(), |offset| {
        format!("read {len} bytes at offset {offset}")
    })
}

fn compressed(compression: u8) -> String {
    match compression {
        1 => "is compressed with Snappy, which needs the feature `snappy`".into(),
        other => format!("has the compression {other} (Zstandard), which is not supported"),
    }
}

/// Returns RocksDB's name of the compression byte (`include/rocksdb/compression_type.h`).
const fn rocksdb_compression(byte: u8) -> &'static str {
    match byte {
        2 => "Zlib",
        3 => "BZip2",
        4 => "LZ4",
        5 => "LZ4HC",
        6 => "Xpress",
        7 => "Zstandard",
        0x80..=0xfe => "the writer's own",
        _ => "unknown",
    }
}
