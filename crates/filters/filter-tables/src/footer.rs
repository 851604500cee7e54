//! The end of a table: two handles and a magic number.

use core::fmt;

use super::varint;

/// The length of the footer, in bytes.
pub const FOOTER_LEN: usize = 48;

/// The last eight bytes of a table, little-endian (LevelDB's `table/format.h`).
pub const MAGIC: u64 = 0xdb47_7524_8b80_fb57;

/// The last eight bytes of Pebble's tables (`sstable/table.go` in github.com/cockroachdb/pebble).
pub(super) const PEBBLE_MAGIC: u64 = 0xb3aa_9ff0_b3aa_9ff0;

/// The highest supported format versions of RocksDB's tables, and of Pebble's: from version 5 on these are columnar.
pub(super) const MAX_FORMAT_VERSION: u32 = 7;
pub(super) const MAX_PEBBLE_VERSION: u32 = 4;

/// The bytes that RocksDB's footer has in place of handles from format version 6 on.
pub(super) const ROCKSDB_MARK: [u8; 4] = [0x3e, 0x00, 0x7a, 0x00];

/// The kinds of RocksDB's tables, distinguished by magic numbers (`table/format.cc`, `table/plain/` and `table/cuckoo/`
/// in RocksDB's source).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RocksDbForm {
    /// Block-based, format version 1 and later: the tables that RocksDB writes by default.
    BlockBased,
    /// Block-based, format version 0: LevelDB's magic number, identified by the properties in the metaindex.
    BlockBasedVersion0,
    /// Plain tables, with the old or the new magic number.
    Plain,
    /// Cuckoo tables.
    Cuckoo,
    /// Pebble's, block-based in the form of RocksDB's.
    Pebble,
}

impl fmt::Display for RocksDbForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BlockBased => "block-based",
            Self::BlockBasedVersion0 => "block-based, format version 0",
            Self::Plain => "plain",
            Self::Cuckoo => "cuckoo",
            Self::Pebble => "Pebble's form",
        })
    }
}

/// The place of a block in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockHandle {
    /// The offset of the block in the file.
    pub offset: u64,
    /// The size of the block as stored, without the five-byte trailer of compression and checksum.
    pub size: u64,
}

impl BlockHandle {
    /// Reads a handle and returns it with the bytes after it; `None` when the bytes end within the handle, or a number
    /// has more than 64 bits.
    pub fn decode(mut bytes: &[u8]) -> Option<(Self, &[u8])> {
        let offset = varint::take_u64(&mut bytes)?;
        let size = varint::take_u64(&mut bytes)?;
        Some((Self { offset, size }, bytes))
    }
}

/// The last [`FOOTER_LEN`] bytes of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Footer {
    /// The handle of the metaindex, which names the filters; `None` when its bytes are not a handle.
    pub metaindex: Option<BlockHandle>,
    /// The handle of the index, which names the data blocks; `None` when its bytes, or those of the metaindex handle
    /// before it, are not a handle.
    pub index: Option<BlockHandle>,
    /// The last eight bytes; [`MAGIC`] in a LevelDB table.
    pub magic: u64,
}

impl Footer {
    /// Reads a footer; accepts any bytes.
    pub fn decode(bytes: &[u8; FOOTER_LEN]) -> Self {
        let (handles, magic) = bytes
            .split_last_chunk::<8>()
            .expect("a footer is longer than its magic number");
        let metaindex = BlockHandle::decode(handles);
        let index = metaindex.and_then(|(_, rest)| BlockHandle::decode(rest));
        Self {
            metaindex: metaindex.map(|(handle, _)| handle),
            index: index.map(|(handle, _)| handle),
            magic: u64::from_le_bytes(*magic),
        }
    }

    /// Returns the kind of RocksDB table if the magic number is one of RocksDB's. RocksDB's tables of format version 0
    /// have LevelDB's number.
    pub const fn rocksdb_form(&self) -> Option<RocksDbForm> {
        match self.magic {
            0x88e2_41b7_85f4_cff7 => Some(RocksDbForm::BlockBased),
            0x8242_2296_63bf_9564 | 0x4f34_18eb_7a8f_13b8 => Some(RocksDbForm::Plain),
            0x9267_89d0_c5f1_7873 => Some(RocksDbForm::Cuckoo),
            PEBBLE_MAGIC => Some(RocksDbForm::Pebble),
            _ => None,
        }
    }
}
