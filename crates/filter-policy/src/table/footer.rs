//! The end of a table: two handles and a magic number.

use super::error::RocksDbForm;
use super::varint;

/// The length of the footer, in bytes.
pub const FOOTER_LEN: usize = 48;

/// The last eight bytes of a table, little-endian (LevelDB's `table/format.h`).
pub const MAGIC: u64 = 0xdb47_7524_8b80_fb57;

/// Where a block lies in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockHandle {
    /// Bytes before the block.
    pub offset: u64,
    /// Bytes of the block as stored, without the five behind it that hold compression and checksum.
    pub size: u64,
}

impl BlockHandle {
    /// Reads a handle and returns the bytes after it; `None` when the bytes end before it does, or a number
    /// has more than 64 bits.
    pub fn decode(mut bytes: &[u8]) -> Option<(Self, &[u8])> {
        let offset = varint::take_u64(&mut bytes)?;
        let size = varint::take_u64(&mut bytes)?;
        Some((Self { offset, size }, bytes))
    }
}

/// The last [`FOOTER_LEN`] bytes of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footer {
    /// The handle of the metaindex, which names the filters; `None` when its bytes are no handle.
    pub metaindex: Option<BlockHandle>,
    /// The handle of the index, which names the data blocks; `None` when its bytes, or those of the handle
    /// before it, are none.
    pub index: Option<BlockHandle>,
    /// The last eight bytes; [`MAGIC`] in a table of LevelDB's.
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

    /// Whose table it is if the magic number is one of RocksDB's. Its tables of format version 0 have
    /// LevelDB's number.
    pub const fn rocksdb_form(&self) -> Option<RocksDbForm> {
        match self.magic {
            0x88e2_41b7_85f4_cff7 => Some(RocksDbForm::BlockBased),
            0x8242_2296_63bf_9564 | 0x4f34_18eb_7a8f_13b8 => Some(RocksDbForm::Plain),
            0x9267_89d0_c5f1_7873 => Some(RocksDbForm::Cuckoo),
            _ => None,
        }
    }
}
