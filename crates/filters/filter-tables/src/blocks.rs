//! The blocks of a table: bounded reads, checksums and decompression.

use alloc::vec::Vec;

use super::block::{Block, Entry};
use super::checksum::ChecksumKind;
use super::compression::decompress;
use super::error::{BlockRole, Damage, Error};
use super::footer::{BlockHandle, FOOTER_LEN};
use super::source::ReadAt;
use super::stored::{StoredBlock, TRAILER_LEN};

/// The largest metaindex to read, in bytes as stored, decompressed, and with its keys in full. LevelDB's metaindex has
/// about fifty bytes.
pub const MAX_METAINDEX_BYTES: u64 = 1 << 20;

/// The largest block to read, in bytes as stored and decompressed. LevelDB begins the next table long before this size
/// (`max_file_size`, at most 2^30), but a single value can make a block, and a table, larger: such a block is valid but
/// is not read here.
pub const MAX_BLOCK_BYTES: u64 = 1 << 30;

/// The kind of checksums in a table.
#[derive(Debug, Clone, Copy)]
pub(super) enum Protection {
    /// LevelDB's checksums: CRC-32C.
    LevelDb,
    /// RocksDB's checksums: any kind, modified in newer tables by the file and the place of the block.
    RocksDb {
        kind: ChecksumKind,
        base: u32,
        format_version: u32,
    },
}

impl Protection {
    pub(super) const fn is_rocksdbs(self) -> bool {
        matches!(self, Self::RocksDb { .. })
    }

    const fn format_version(self) -> Option<u32> {
        match self {
            Self::LevelDb => None,
            Self::RocksDb { format_version, .. } => Some(format_version),
        }
    }

    /// Returns the checksum of `bytes` followed by `last` at this file offset; `None` if the kind has no checksum.
    pub(super) fn checksum(self, bytes: &[u8], last: u8, offset: u64) -> Option<u32> {
        let (kind, base) = match self {
            Self::LevelDb => (ChecksumKind::Crc32c, 0),
            Self::RocksDb { kind, base, .. } => (kind, base),
        };
        let checksum = kind.checksum(bytes, last)?;
        Some(checksum.wrapping_add(of_place(base, offset)))
    }

    /// Checks the contents against the checksum stored after them. Properties may be those of an ingested table.
    pub(super) fn verify(
        self,
        stored: &StoredBlock<'_>,
        block: BlockRole,
        offset: u64,
    ) -> Result<(), Damage> {
        let checksum = |contents: &[u8]| self.checksum(contents, stored.compression(), offset);
        let Some(computed) = checksum(stored.contents()) else {
            return Ok(());
        };
        stored.expect(computed, block, offset).or_else(|damage| {
            let original =
                (self.is_rocksdbs() && block == BlockRole::Properties).then(|| before_ingestion(stored));
            let computed = original.flatten().and_then(|original| checksum(&original));
            computed.map_or(Err(damage), |computed| {
                stored.expect(computed, block, offset).map_err(|_| damage)
            })
        })
    }
}

/// Returns properties as they were when their checksum was made: RocksDB writes a number into those of a table that it
/// ingests, in place of 0. Compressed ones have no place for it.
///
/// Source: RocksDB, `table/meta_blocks.cc` (`ReadTablePropertiesHelper`).
fn before_ingestion(stored: &StoredBlock<'_>) -> Option<Vec<u8>> {
    const NAME: &[u8] = b"rocksdb.external_sst_file.global_seqno";
    const LEN: usize = size_of::<u64>();

    let contents = stored.contents();
    if stored.compression() != StoredBlock::UNCOMPRESSED || contents.len() as u64 > MAX_METAINDEX_BYTES {
        return None;
    }
    let block = Block::new(BlockRole::Properties, contents.to_vec(), true);
    let mut entries = block.entries().ok()?;
    while !matches!(entries.next_entry().ok()??, Entry { key, value } if key == NAME && value.len() == LEN) {}
    let end = entries.position();
    let mut contents = block.into_contents();
    contents.get_mut(..end)?.last_chunk_mut::<LEN>()?.fill(0);
    Some(contents)
}

/// Returns the amount that a block's place adds to its checksum, from the file's base number; 0 for base 0.
///
/// Source: RocksDB, `table/format.h` (`ChecksumModifierForContext`).
pub(super) const fn of_place(base: u32, offset: u64) -> u32 {
    let [a, b, c, d, e, f, g, h] = offset.to_le_bytes();
    let halves = u32::from_le_bytes([a, b, c, d]).wrapping_add(u32::from_le_bytes([e, f, g, h]));
    if base == 0 { 0 } else { base ^ halves }
}

/// The blocks before a footer.
#[derive(Clone)]
pub(super) struct Blocks<R> {
    reader: R,
    /// The start of the footer, after all blocks.
    end: u64,
    protection: Protection,
}

/// Omits the reader, which may be all bytes of the table.
impl<R> core::fmt::Debug for Blocks<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Blocks")
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

impl<R: ReadAt> Blocks<R> {
    /// Reads a LevelDB footer and returns it with the blocks before it.
    pub(super) fn behind_footer(reader: R) -> Result<(Self, [u8; FOOTER_LEN]), Error<R::Error>> {
        let size = reader.size().map_err(|source| Error::Read {
            offset: None,
            len: 0,
            source,
        })?;
        let end = size
            .checked_sub(FOOTER_LEN as u64)
            .ok_or(Error::TooShort { size })?;
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

    /// Converts the blocks to RocksDB's, whose footers of format version 1 and later start `longer` bytes earlier.
    pub(super) fn of_rocksdb(self, longer: u64, protection: Protection) -> Option<Self> {
        Some(Self {
            end: self.end.checked_sub(longer)?,
            protection,
            ..self
        })
    }

    pub(super) const fn end(&self) -> u64 {
        self.end
    }

    pub(super) const fn protection(&self) -> Protection {
        self.protection
    }

    /// Fills the buffer with the bytes at `offset`, which need not be a block.
    pub(super) fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Error<R::Error>> {
        read(&self.reader, offset, buffer)
    }

    /// Reads a block, checks it and decompresses it. The role sets the size limit and appears in errors.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], and the errors of reading the block.
    pub(super) fn block(&self, role: BlockRole, handle: BlockHandle) -> Result<Block, Error<R::Error>> {
        let mut bytes = self.stored_block(role, handle)?;
        let Some(stored) = StoredBlock::new(&bytes) else {
            return Err(outside(role, handle, self.end).into());
        };
        let offset = handle.offset;
        self.protection.verify(&stored, role, offset)?;
        if stored.compression() == StoredBlock::UNCOMPRESSED {
            bytes.truncate(stored.contents().len());
        } else {
            bytes = decompress(role, &stored, self.protection.format_version(), max_bytes(role))?;
        }
        Ok(Block::new(role, bytes, self.protection.is_rocksdbs()))
    }

    /// Reads a block as stored, with its trailer and unchecked, for [`StoredBlock::new`]: for programs that examine
    /// damaged tables.
    ///
    /// # Errors
    ///
    /// [`Damage::Outside`]; [`Error::TooLarge`] for a metaindex above [`MAX_METAINDEX_BYTES`] and any
    /// block above [`MAX_BLOCK_BYTES`]; the errors of reading the bytes.
    pub(super) fn stored_block(
        &self,
        role: BlockRole,
        handle: BlockHandle,
    ) -> Result<Vec<u8>, Error<R::Error>> {
        let len = self.len_within_bounds(role, handle)?;
        Error::check_size(role, handle.size, max_bytes(role))?;
        let mut bytes = zeros(usize::try_from(len).unwrap_or(usize::MAX))?;
        read(&self.reader, handle.offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Returns the length of a block with its trailer, if both lie before the footer.
    fn len_within_bounds(&self, role: BlockRole, handle: BlockHandle) -> Result<u64, Damage> {
        handle
            .size
            .checked_add(TRAILER_LEN as u64)
            .filter(|&len| handle.offset.checked_add(len).is_some_and(|end| end <= self.end))
            .ok_or(outside(role, handle, self.end))
    }
}

/// Returns the maximum size of a block with this role, as stored and decompressed.
const fn max_bytes(role: BlockRole) -> u64 {
    match role {
        BlockRole::Metaindex => MAX_METAINDEX_BYTES,
        _ => MAX_BLOCK_BYTES,
    }
}

fn zeros<E>(len: usize) -> Result<Vec<u8>, Error<E>> {
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(len)
        .map_err(|_| Error::AllocationFailed { bytes: len })?;
    bytes.resize(len, 0);
    Ok(bytes)
}

const fn outside(block: BlockRole, handle: BlockHandle, end: u64) -> Damage {
    Damage::Outside { block, handle, end }
}

fn read<R: ReadAt>(reader: &R, offset: u64, buffer: &mut [u8]) -> Result<(), Error<R::Error>> {
    let len = buffer.len();
    reader
        .read_exact_at(offset, buffer)
        .map_err(|source| Error::Read {
            offset: Some(offset),
            len,
            source,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns stored properties with this value of the number, and a checksum.
    fn properties(number: &[u8], compression: u8, checksum: u32) -> Vec<u8> {
        let mut block = b"\x00\x09\x01rocksdb.aX\x08\x1e".to_vec();
        block.push(u8::try_from(number.len()).unwrap());
        block.extend(b"external_sst_file.global_seqno");
        block.extend(number);
        block.extend(b"\x08\x01\x01zY\x00\x00\x00\x00\x01\x00\x00\x00");
        block.push(compression);
        block.extend(checksum.to_le_bytes());
        block
    }

    #[test]
    fn a_number_that_is_written_at_ingestion_is_no_damage() {
        let kinds = [0, 1, 2, 3, 4].map(|number| ChecksumKind::from_number(number).unwrap());
        for kind in kinds.into_iter().filter(|kind| kind.is_supported()) {
            for (base, offset) in [
                (0, 0),
                (0, 1 << 33),
                (0x1234_5678, 0),
                (0x8000_0001, 0x1_0000_1234),
            ] {
                let protection = Protection::RocksDb {
                    kind,
                    base,
                    format_version: 5,
                };
                let is_right = |number: &[u8], role, original: &[u8], compression, more: u32| {
                    let block = properties(original, compression, 0);
                    let stored = StoredBlock::new(&block).unwrap();
                    let checksum = protection
                        .checksum(stored.contents(), compression, offset)
                        .unwrap_or(0);
                    let block = properties(number, compression, checksum.wrapping_add(more));
                    let stored = StoredBlock::new(&block).unwrap();
                    protection.verify(&stored, role, offset).is_ok()
                };
                let (zeros, number, role) = ([0; 9], [7, 6, 5, 4, 3, 2, 1, 9, 9], BlockRole::Properties);
                assert!(
                    is_right(&number[..8], role, &zeros[..8], 0, 0),
                    "{kind}, {base:x}"
                );
                // Of another length, in another block, compressed, with another checksum, not from zero.
                let has_none = kind == ChecksumKind::None;
                assert_eq!(is_right(&number, role, &zeros, 0, 0), has_none);
                assert_eq!(
                    is_right(&number[..8], BlockRole::Metaindex, &zeros[..8], 0, 0),
                    has_none
                );
                assert_eq!(is_right(&number[..8], role, &zeros[..8], 1, 0), has_none);
                assert_eq!(is_right(&number[..8], role, &zeros[..8], 0, 1), has_none);
                assert_eq!(is_right(&number[..8], role, &number[1..], 0, 0), has_none);
            }
        }
    }
}
