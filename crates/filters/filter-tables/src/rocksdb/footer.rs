//! The end of a RocksDB table: checksum kind, two handles or their replacement, version and magic number.

use super::super::checksum::ChecksumKind;
use super::super::error::Damage;
use super::super::footer::{BlockHandle, FOOTER_LEN, Footer, PEBBLE_MAGIC, ROCKSDB_MARK};
use super::super::stored::TRAILER_LEN;

/// The length of the footer from format version 1 on, in bytes. Version 0 has LevelDB's footer.
///
/// Source of all constants here: RocksDB, `table/format.{h,cc}`.
pub const ROCKSDB_FOOTER_LEN: usize = 53;

/// The last eight bytes of a block-based table from format version 1 on, little-endian.
pub const ROCKSDB_MAGIC: u64 = 0x88e2_41b7_85f4_cff7;

/// The first format version whose footer has a checksum and directly follows the metaindex.
const FIRST_WITH_CHECKSUM: u32 = 6;

/// The footer of a RocksDB table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RocksDbFooter {
    /// The format version; 0 for tables with LevelDB's magic number.
    pub format_version: u32,
    /// The kind of checksum after every block.
    pub checksum: ChecksumKind,
    /// The handle of the metaindex; `None` when its bytes are not a handle.
    pub metaindex: Option<BlockHandle>,
    /// The handle of the index; `None` when its bytes are not a handle, and from format version 6 on, where the
    /// metaindex names the index.
    pub index: Option<BlockHandle>,
    /// The number on which the block checksums of this file depend, from format version 6 on; 0 before.
    pub base_checksum: u32,
    /// Set for Pebble's tables.
    pub is_pebbles: bool,
}

impl RocksDbFooter {
    /// Makes the footer of a table of format version 0.
    pub(super) const fn from_leveldb(footer: Footer) -> Self {
        Self {
            format_version: 0,
            checksum: ChecksumKind::Crc32c,
            metaindex: footer.metaindex,
            index: footer.index,
            base_checksum: 0,
            is_pebbles: false,
        }
    }

    /// Reads a footer of format version 1 or later that starts at this offset of the file. The footer's own checksum,
    /// which exists from format version 6 on, is not checked here: `RocksDbTable` does that.
    ///
    /// # Errors
    ///
    /// [`Damage::Footer`].
    pub fn decode(bytes: &[u8; ROCKSDB_FOOTER_LEN], offset: u64) -> Result<Self, Damage> {
        let format_version = format_version(bytes);
        let is_pebbles = bytes.ends_with(&PEBBLE_MAGIC.to_le_bytes());
        let [kind, rest @ ..] = bytes;
        let (part, _) = rest
            .split_first_chunk::<40>()
            .expect("a footer has 40 bytes between the checksum and the version");
        let checksum = ChecksumKind::from_number(*kind).ok_or(Damage::Footer {
            what: "checksum kind",
            allowed: "between 0 and 4",
            found: (*kind).into(),
        })?;
        if format_version < FIRST_WITH_CHECKSUM {
            let mut with_magic = [0; FOOTER_LEN];
            let (handles, _) = with_magic.split_at_mut(part.len());
            handles.copy_from_slice(part);
            let Footer { metaindex, index, .. } = Footer::decode(&with_magic);
            return Ok(Self {
                format_version,
                checksum,
                metaindex,
                index,
                base_checksum: 0,
                is_pebbles,
            });
        }
        let (fields, _) = part.as_chunks::<4>();
        let field = |at: usize| fields.get(at).copied().unwrap_or_default();
        if field(0) != ROCKSDB_MARK {
            return Err(Damage::Footer {
                what: "mark",
                allowed: "0x7a003e",
                found: u32::from_le_bytes(field(0)),
            });
        }
        let size = u64::from(u32::from_le_bytes(field(3)));
        let start = offset.checked_sub(TRAILER_LEN as u64 + size);
        Ok(Self {
            format_version,
            checksum,
            metaindex: start.map(|offset| BlockHandle { offset, size }),
            index: None,
            base_checksum: u32::from_le_bytes(field(2)),
            is_pebbles,
        })
    }

    /// Returns the checksum stored in a footer that has one, and the footer's bytes with the checksum set to 0.
    pub(super) fn own_checksum(
        &self,
        bytes: &[u8; ROCKSDB_FOOTER_LEN],
    ) -> Option<(u32, [u8; ROCKSDB_FOOTER_LEN])> {
        if self.format_version < FIRST_WITH_CHECKSUM {
            return None;
        }
        let mut without = *bytes;
        let (_, from_checksum) = without.split_at_mut(1 + ROCKSDB_MARK.len());
        let stored = from_checksum.first_chunk_mut::<4>()?;
        let checksum = u32::from_le_bytes(*stored);
        *stored = [0; 4];
        Some((checksum, without))
    }
}

pub(super) fn format_version(footer: &[u8; ROCKSDB_FOOTER_LEN]) -> u32 {
    let [.., a, b, c, d, _, _, _, _, _, _, _, _] = *footer;
    u32::from_le_bytes([a, b, c, d])
}
