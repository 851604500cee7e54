//! Why a table, or a block of it, could not be read.

use core::error::Error;
use core::fmt;

use super::checksum::ChecksumKind;
use super::footer::{BlockHandle, FOOTER_LEN, MAGIC, MAX_FORMAT_VERSION, ROCKSDB_MARK, RocksDbForm};

/// What a block is there for.
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
    /// What RocksDB says of a table.
    Properties,
    /// Names the parts of an index that has parts, in tables of RocksDB's.
    IndexPartition,
    /// Names the parts of a filter that has parts, in tables of RocksDB's.
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

/// What is wrong with the bytes of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// The bytes that should tell where a block lies do not.
    Handle {
        /// Whose handle it should be.
        block: BlockRole,
    },
    /// A block lies, at least partly, outside the part of the file that holds blocks.
    Outside {
        /// Which block.
        block: BlockRole,
        /// Where it should lie.
        handle: BlockHandle,
        /// Where the footer starts: blocks and their trailers lie before it.
        end: u64,
    },
    /// The contents do not have the checksum that is stored behind them.
    Checksum {
        /// Which block.
        block: BlockRole,
        /// Where it starts in the file.
        offset: u64,
        /// The checksum in the file.
        stored: u32,
        /// The checksum of the contents.
        computed: u32,
    },
    /// The byte behind the contents names no compression.
    Compression {
        /// Which block.
        block: BlockRole,
        /// Where it starts in the file.
        offset: u64,
        /// The byte.
        found: u8,
    },
    /// The contents are marked as compressed with Snappy and do not decompress.
    Snappy {
        /// Which block.
        block: BlockRole,
        /// Where it starts in the file.
        offset: u64,
    },
    /// The contents have no room for as many restart points as they say.
    Restarts {
        /// Which block.
        block: BlockRole,
        /// How many restart points the block says it has; `None` when it is too short to say.
        count: Option<u32>,
        /// Bytes of the contents.
        size: usize,
    },
    /// The footer of a table of RocksDB's names no kind of checksum.
    ChecksumKind {
        /// The number that it gives.
        found: u8,
    },
    /// The footer of a table of RocksDB's does not have the checksum that it says.
    FooterChecksum {
        /// The checksum in the footer.
        stored: u32,
        /// The checksum that it has.
        computed: u32,
    },
    /// The footer of a table of RocksDB's has no mark of its format version.
    FooterMark {
        /// The format version.
        format_version: u32,
        /// The four bytes in the mark's place.
        found: [u8; 4],
    },
    /// A property of a table of RocksDB's is none of the values that it can have.
    Property {
        /// The property's name.
        name: &'static str,
    },
    /// An entry is cut, or says that it shares more with the key before it than that key has.
    Entry {
        /// Which block.
        block: BlockRole,
        /// Where the entry starts in the contents.
        position: usize,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Handle { block } => {
                write!(f, "handle of the {block} must be two numbers of at most 64 bits")
            }
            Self::Outside { block, handle, end } => write!(
                f,
                "{block} and its trailer must end before the footer at offset {end}, got {} bytes at offset {}",
                handle.size, handle.offset
            ),
            Self::Checksum {
                block,
                offset,
                stored,
                computed,
            } => write!(
                f,
                "the {block} at offset {offset} has the checksum {computed:#010x}, stored is {stored:#010x}"
            ),
            Self::Compression { block, offset, found } => write!(
                f,
                "compression of the {block} at offset {offset} must be 0, 1 or 2, got {found}"
            ),
            Self::Snappy { block, offset } => {
                write!(
                    f,
                    "the {block} at offset {offset} does not decompress with Snappy"
                )
            }
            Self::Restarts {
                block,
                count: Some(count),
                size,
            } => write!(
                f,
                "the {block} of {size} bytes says that it has {count} restart points of 4 bytes"
            ),
            Self::Restarts {
                block,
                count: None,
                size,
            } => write!(f, "{block} must be at least 4 bytes, got {size}"),
            Self::ChecksumKind { found } => {
                write!(
                    f,
                    "checksum kind in the footer must be between 0 and 4, got {found}"
                )
            }
            Self::FooterChecksum { stored, computed } => write!(
                f,
                "the footer has the checksum {computed:#010x}, stored is {stored:#010x}"
            ),
            Self::FooterMark {
                format_version,
                found,
            } => write!(
                f,
                "mark in the footer of format version {format_version} must be {:02x?}, got {found:02x?}",
                ROCKSDB_MARK
            ),
            Self::Property { name } => write!(f, "the property {name} has no value that is known"),
            Self::Entry { block, position } => {
                write!(f, "the entry at byte {position} of the {block} is damaged")
            }
        }
    }
}

impl Error for Damage {}

/// Why a table, or a block of it, could not be read; `E` is the error of what the bytes are read from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError<E> {
    /// The bytes could not be had.
    Read {
        /// Where in the file; `None` when it was the size that could not be had.
        offset: Option<u64>,
        /// How many bytes were asked for.
        len: usize,
        /// What the reader said.
        source: E,
    },
    /// The file is shorter than a footer, so it is no table.
    TooShort {
        /// Its size in bytes.
        size: u64,
    },
    /// The last eight bytes are those of no table that is known here.
    UnknownMagic {
        /// What they are.
        found: u64,
    },
    /// The table is RocksDB's, not LevelDB's.
    RocksDb(RocksDbForm),
    /// The table is not one of RocksDB's that are block-based.
    NotRocksDb,
    /// The table is of a format version that is not read here.
    UnsupportedVersion {
        /// The format version.
        found: u32,
    },
    /// The table's checksums are of a kind that needs the feature `xxhash`.
    UnsupportedChecksum {
        /// The kind.
        kind: ChecksumKind,
    },
    /// The block is laid out in a way that is not read here.
    UnsupportedLayout {
        /// Which block.
        block: BlockRole,
        /// The bits of its last number that say so.
        bits: u32,
    },
    /// The table is LevelDB's and damaged.
    Damaged(Damage),
    /// The contents are compressed in a way that is not read here.
    Unsupported {
        /// Which block.
        block: BlockRole,
        /// The byte that tells the compression: 1 for Snappy, without the feature `snappy`; 2 for Zstandard.
        compression: u8,
    },
    /// The contents are compressed in one of RocksDB's ways that are not read here: all but Snappy.
    RocksDbCompression {
        /// Which block.
        block: BlockRole,
        /// The byte that tells the compression.
        compression: u8,
    },
    /// The block is larger than any such block should be.
    TooLarge {
        /// Which block.
        block: BlockRole,
        /// Its size in bytes, as stored or decompressed.
        size: u64,
        /// The largest size that is read.
        allowed: u64,
    },
    /// The allocator refused the memory.
    AllocationFailed {
        /// How many bytes were asked for.
        bytes: usize,
    },
}

impl<E> From<Damage> for TableError<E> {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}

impl<E: fmt::Display> fmt::Display for TableError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read {
                offset: Some(offset),
                len,
                source,
            } => write!(f, "cannot read {len} bytes at offset {offset}: {source}"),
            Self::Read { source, .. } => write!(f, "cannot tell the size of the table: {source}"),
            Self::TooShort { size } => {
                write!(f, "table must be at least {FOOTER_LEN} bytes, got {size}")
            }
            Self::UnknownMagic { found } => write!(
                f,
                "last 8 bytes of a table of LevelDB must be {MAGIC:#018x}, got {found:#018x}"
            ),
            Self::RocksDb(form) => write!(f, "the table is RocksDB's ({form}), not LevelDB's"),
            Self::NotRocksDb => f.write_str("the table is not a block-based one of RocksDB's"),
            Self::UnsupportedVersion { found } => write!(
                f,
                "format version of the table must be between 0 and {}, got {found}",
                MAX_FORMAT_VERSION
            ),
            Self::UnsupportedChecksum { kind } => write!(
                f,
                "the table's checksums are {kind}, which needs the feature `xxhash`"
            ),
            Self::UnsupportedLayout { block, bits } => write!(
                f,
                "the {block} is laid out in a way that is not supported ({bits:#010x})"
            ),
            Self::Damaged(damage) => damage.fmt(f),
            Self::Unsupported {
                block,
                compression: 1,
            } => write!(
                f,
                "the {block} is compressed with Snappy, which needs the feature `snappy`"
            ),
            Self::Unsupported { block, compression } => write!(
                f,
                "the {block} has the compression {compression} (Zstandard), which is not supported"
            ),
            Self::RocksDbCompression { block, compression } => write!(
                f,
                "the {block} has the compression {compression} ({}), which is not supported",
                rocksdb_compression(*compression)
            ),
            Self::TooLarge { block, size, allowed } => {
                write!(f, "{block} must be at most {allowed} bytes, got {size}")
            }
            Self::AllocationFailed { bytes } => write!(f, "cannot allocate {bytes} bytes"),
        }
    }
}

/// What RocksDB means by the byte (`include/rocksdb/compression_type.h`).
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

impl<E: Error + 'static> Error for TableError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Read { source, .. } => Some(source),
            _ => None,
        }
    }
}
