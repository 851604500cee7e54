//! The blocks of a table: read within bounds, checked, decompressed.

use alloc::vec::Vec;

use super::block::Block;
use super::checksum::ChecksumKind;
use super::error::{BlockRole, Damage, TableError};
use super::footer::{BlockHandle, FOOTER_LEN};
use super::source::ReadAt;
use super::stored::{StoredBlock, TRAILER_LEN};

/// The largest metaindex that is read, in bytes as stored, decompressed, and with its keys put together.
/// LevelDB's has some fifty bytes.
pub const MAX_METAINDEX_BYTES: u64 = 1 << 20;

/// The largest block that is read, in bytes as stored and decompressed. LevelDB begins the next table long before
/// (`max_file_size`, at most 2^30), but a single value can make a block, and a table, larger than that: such a
/// block is whole and not read here.
pub const MAX_BLOCK_BYTES: u64 = 1 << 30;

/// What the checksums of a table are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Protection {
    /// LevelDB's: CRC-32C.
    LevelDb,
    /// RocksDB's: any kind, and in newer tables a number that tells the place of the block and the file.
    RocksDb { kind: ChecksumKind, base: u32 },
}

impl Protection {
    pub(super) const fn is_rocksdbs(self) -> bool {
        matches!(self, Self::RocksDb { .. })
    }

    /// The checksum of bytes and the last one of them, at this place in the file; `None` where there is none.
    pub(super) fn checksum(self, bytes: &[u8], last: u8, offset: u64) -> Option<u32> {
        let (kind, base) = match self {
            Self::LevelDb => (ChecksumKind::Crc32c, 0),
            Self::RocksDb { kind, base } => (kind, base),
        };
        let checksum = kind.checksum(bytes, last)?;
        Some(checksum.wrapping_add(of_place(base, offset)))
    }

    /// Whether the contents have the checksum that is stored behind them.
    pub(super) fn verify(
        self,
        stored: &StoredBlock<'_>,
        block: BlockRole,
        offset: u64,
    ) -> Result<(), Damage> {
        match self.checksum(stored.contents(), stored.compression(), offset) {
            Some(computed) => stored.expect(computed, block, offset),
            None => Ok(()),
        }
    }
}

/// What is added to the checksum of a block for its place, from the number that the file has for that; 0 for 0.
///
/// Source: RocksDB, `table/format.h` (`ChecksumModifierForContext`).
pub(super) const fn of_place(base: u32, offset: u64) -> u32 {
    let [a, b, c, d, e, f, g, h] = offset.to_le_bytes();
    let halves = u32::from_le_bytes([a, b, c, d]).wrapping_add(u32::from_le_bytes([e, f, g, h]));
    if base == 0 { 0 } else { base ^ halves }
}

/// The blocks in front of a footer.
#[derive(Clone)]
pub(super) struct Blocks<R> {
    reader: R,
    /// Where the footer starts: all blocks lie before it.
    end: u64,
    protection: Protection,
}

/// Without the reader, which may be all bytes of the table.
impl<R> core::fmt::Debug for Blocks<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Blocks")
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

impl<R: ReadAt> Blocks<R> {
    /// The blocks in front of a footer of LevelDB's, and the footer.
    pub(super) fn behind_footer(reader: R) -> Result<(Self, [u8; FOOTER_LEN]), TableError<R::Error>> {
        let size = reader.size().map_err(|source| TableError::Read {
            offset: None,
            len: 0,
            source,
        })?;
        let end = size
            .checked_sub(FOOTER_LEN as u64)
            .ok_or(TableError::TooShort { size })?;
        let mut footer = [0; FOOTER_LEN];
        read(&reader, end, &mut footer)?;
        let protection = Protection::LevelDb;
        Ok((
            Self {
                reader,
                end,
                protection,
            },
            footer,
        ))
    }

    /// The same, taken for RocksDB's: its footers of format version 1 and later start `longer` bytes before.
    pub(super) fn of_rocksdb(self, longer: u64, protection: Protection) -> Option<Self> {
        Some(Self {
            end: self.end.checked_sub(longer)?,
            protection,
            ..self
        })
    }

    /// Where the footer starts.
    pub(super) const fn end(&self) -> u64 {
        self.end
    }

    /// The checksums.
    pub(super) const fn protection(&self) -> Protection {
        self.protection
    }

    /// Fills the buffer with what starts at `offset`, which need not be a block.
    pub(super) fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<(), TableError<R::Error>> {
        read(&self.reader, offset, buffer)
    }

    /// Reads a block, checks it and decompresses it. The role is for the words of the error.
    ///
    /// # Errors
    ///
    /// [`TableError::Damaged`], and the kinds that say why the block could not be read.
    pub(super) fn block(&self, role: BlockRole, handle: BlockHandle) -> Result<Block, TableError<R::Error>> {
        let mut bytes = self.stored_block(role, handle)?;
        let Some(stored) = StoredBlock::new(&bytes) else {
            return Err(outside(role, handle, self.end).into());
        };
        let offset = handle.offset;
        self.protection.verify(&stored, role, offset)?;
        match stored.compression() {
            StoredBlock::UNCOMPRESSED => {
                bytes.truncate(stored.contents().len());
                Ok(Block::new(role, bytes, self.protection.is_rocksdbs()))
            }
            StoredBlock::SNAPPY => {
                let contents = decompress(role, offset, stored.contents())?;
                Ok(Block::new(role, contents, self.protection.is_rocksdbs()))
            }
            compression if self.protection.is_rocksdbs() => Err(TableError::RocksDbCompression {
                block: role,
                compression,
            }),
            StoredBlock::ZSTD => Err(TableError::Unsupported {
                block: role,
                compression: StoredBlock::ZSTD,
            }),
            found => Err(TableError::Damaged(Damage::Compression {
                block: role,
                offset,
                found,
            })),
        }
    }

    /// Reads a block as it is stored, with its trailer and unchecked, for [`StoredBlock::new`]: for programs
    /// that look into damaged tables.
    ///
    /// # Errors
    ///
    /// [`Damage::Outside`]; [`TableError::TooLarge`] for a metaindex above [`MAX_METAINDEX_BYTES`] and any
    /// block above [`MAX_BLOCK_BYTES`]; the kinds that say why the bytes could not be read.
    pub(super) fn stored_block(
        &self,
        role: BlockRole,
        handle: BlockHandle,
    ) -> Result<Vec<u8>, TableError<R::Error>> {
        let len = self.len_within_bounds(role, handle)?;
        let allowed = max_bytes(role);
        let len = usize::try_from(len)
            .ok()
            .filter(|_| handle.size <= allowed)
            .ok_or(TableError::TooLarge {
                block: role,
                size: handle.size,
                allowed,
            })?;
        let mut bytes = zeros(len)?;
        read(&self.reader, handle.offset, &mut bytes)?;
        Ok(bytes)
    }

    /// The bytes that a block takes with its trailer, which lie before the footer.
    fn len_within_bounds(&self, role: BlockRole, handle: BlockHandle) -> Result<u64, Damage> {
        handle
            .size
            .checked_add(TRAILER_LEN as u64)
            .filter(|&len| handle.offset.checked_add(len).is_some_and(|end| end <= self.end))
            .ok_or(outside(role, handle, self.end))
    }
}

/// The largest block of this role that is read, as stored and decompressed.
const fn max_bytes(role: BlockRole) -> u64 {
    match role {
        BlockRole::Metaindex => MAX_METAINDEX_BYTES,
        _ => MAX_BLOCK_BYTES,
    }
}

fn zeros<E>(len: usize) -> Result<Vec<u8>, TableError<E>> {
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(len)
        .map_err(|_| TableError::AllocationFailed { bytes: len })?;
    bytes.resize(len, 0);
    Ok(bytes)
}

const fn outside(block: BlockRole, handle: BlockHandle, end: u64) -> Damage {
    Damage::Outside { block, handle, end }
}

fn read<R: ReadAt>(reader: &R, offset: u64, buffer: &mut [u8]) -> Result<(), TableError<R::Error>> {
    let len = buffer.len();
    reader
        .read_exact_at(offset, buffer)
        .map_err(|source| TableError::Read {
            offset: Some(offset),
            len,
            source,
        })
}

#[cfg(feature = "snappy")]
fn decompress<E>(block: BlockRole, offset: u64, compressed: &[u8]) -> Result<Vec<u8>, TableError<E>> {
    /// No element of the format makes more of its bytes than a copy of 64 bytes that takes three. The claim
    /// is checked before memory is taken for it.
    const MAX_RATIO: usize = 22;

    let damaged = Damage::Snappy { block, offset };
    let len = snap::raw::decompress_len(compressed)
        .ok()
        .filter(|&len| len <= compressed.len().saturating_mul(MAX_RATIO))
        .ok_or(damaged)?;
    let allowed = max_bytes(block);
    if len as u64 > allowed {
        return Err(TableError::TooLarge {
            block,
            size: len as u64,
            allowed,
        });
    }
    let mut contents = zeros(len)?;
    match snap::raw::Decoder::new().decompress(compressed, &mut contents) {
        Ok(written) if written == len => Ok(contents),
        _ => Err(damaged.into()),
    }
}

#[cfg(not(feature = "snappy"))]
fn decompress<E>(block: BlockRole, _: u64, _: &[u8]) -> Result<Vec<u8>, TableError<E>> {
    Err(TableError::Unsupported {
        block,
        compression: StoredBlock::SNAPPY,
    })
}
