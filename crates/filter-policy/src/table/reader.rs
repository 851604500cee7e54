//! From the footer to the filter block.

use alloc::vec::Vec;

use super::block::{Block, Entry};
use super::error::{BlockRole, Damage, RocksDbForm, TableError};
use super::footer::{BlockHandle, FOOTER_LEN, Footer, MAGIC};
use super::source::ReadAt;
use super::stored::{StoredBlock, TRAILER_LEN};

/// The largest metaindex that is read, in bytes as stored, decompressed, and with its keys put together.
/// LevelDB's has some fifty bytes.
pub const MAX_METAINDEX_BYTES: u64 = 1 << 20;

/// The largest block that is read, in bytes as stored and decompressed. LevelDB begins the next table long before
/// (`max_file_size`, at most 2^30), but a single value can make a block, and a table, larger than that: such a
/// block is whole and not read here.
pub const MAX_BLOCK_BYTES: u64 = 1 << 30;

/// What the name of a policy follows in the metaindex.
const FILTER_PREFIX: &[u8] = b"filter.";

/// What the names of RocksDB's own blocks start with in the metaindex: `rocksdb.properties` in every table
/// of the last decade, `rocksdb.stats` before.
const ROCKSDB_PREFIX: &[u8] = b"rocksdb.";

/// An entry of the metaindex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetaindexEntry {
    key: Vec<u8>,
    value: Vec<u8>,
}

impl MetaindexEntry {
    /// The key: `filter.` and the name of a policy, or what other programs put there.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The value; a handle in every entry that LevelDB writes.
    pub fn value(&self) -> &[u8] {
        &self.value
    }

    /// The name of the policy whose filters the entry points at; `None` for entries of another kind. Engines
    /// write names in ASCII, but any bytes can be stored.
    pub fn policy_name(&self) -> Option<&[u8]> {
        self.key.strip_prefix(FILTER_PREFIX)
    }

    /// Where the block lies that the entry points at; `None` when the value is no handle.
    pub fn handle(&self) -> Option<BlockHandle> {
        BlockHandle::decode(&self.value).map(|(handle, _)| handle)
    }
}

/// A table of LevelDB's whose footer and metaindex have been read and found whole.
///
/// ```
/// use filter_policy::table::{Table, TableError};
///
/// assert_eq!(Table::open(&[][..]).unwrap_err(), TableError::TooShort { size: 0 });
/// assert_eq!(
///     Table::open(&[0; 64][..]).unwrap_err().to_string(),
///     "the last 8 bytes are 0x0000000000000000, those of a table of LevelDB are 0xdb4775248b80fb57"
/// );
/// ```
#[derive(Debug, Clone)]
pub struct Table<R> {
    reader: R,
    /// Where the footer starts: all blocks lie before it.
    blocks_end: u64,
    footer: Footer,
    metaindex: Vec<MetaindexEntry>,
}

impl<R: ReadAt> Table<R> {
    /// Reads the footer and the metaindex: two or three reads, whatever the size of the table.
    ///
    /// # Errors
    ///
    /// Every kind of [`TableError`]. Where the metaindex is damaged LevelDB itself goes on without filters,
    /// and without `paranoid_checks` it does not look at its checksum.
    pub fn open(reader: R) -> Result<Self, TableError<R::Error>> {
        let size = reader.size().map_err(|source| TableError::Read {
            offset: None,
            len: 0,
            source,
        })?;
        let blocks_end = size
            .checked_sub(FOOTER_LEN as u64)
            .ok_or(TableError::TooShort { size })?;
        let mut footer = [0; FOOTER_LEN];
        read(&reader, blocks_end, &mut footer)?;
        let footer = Footer::decode(&footer);
        if let Some(form) = footer.rocksdb_form() {
            return Err(TableError::RocksDb(form));
        }
        if footer.magic != MAGIC {
            return Err(TableError::UnknownMagic { found: footer.magic });
        }

        let mut table = Self {
            reader,
            blocks_end,
            footer,
            metaindex: Vec::new(),
        };
        table.metaindex = table.read_metaindex()?;
        let of_rocksdb = |entry: &MetaindexEntry| entry.key.starts_with(ROCKSDB_PREFIX);
        if table.metaindex.iter().any(of_rocksdb) {
            return Err(TableError::RocksDb(RocksDbForm::BlockBasedVersion0));
        }
        Ok(table)
    }

    fn read_metaindex(&self) -> Result<Vec<MetaindexEntry>, TableError<R::Error>> {
        let block = BlockRole::Metaindex;
        let handle = self.footer.metaindex.ok_or(Damage::Handle { block })?;
        let metaindex = self.block(block, handle)?;
        let mut entries = metaindex.entries()?;
        let mut collected = Vec::new();
        // Keys that share their start take more memory than they take in the file.
        let mut size = 0_u64;
        while let Some(Entry { key, value }) = entries.next_entry()? {
            size = size.saturating_add((key.len() + value.len()) as u64);
            if size > MAX_METAINDEX_BYTES {
                return Err(TableError::TooLarge {
                    block,
                    size,
                    allowed: MAX_METAINDEX_BYTES,
                });
            }
            collected.push(MetaindexEntry {
                key: key.to_vec(),
                value: value.to_vec(),
            });
        }
        Ok(collected)
    }

    /// The footer.
    pub const fn footer(&self) -> Footer {
        self.footer
    }

    /// The entries of the metaindex, in the order they are stored.
    pub fn metaindex(&self) -> &[MetaindexEntry] {
        &self.metaindex
    }

    /// The names of the policies whose filters the table holds. LevelDB writes one or none.
    pub fn policy_names(&self) -> impl Iterator<Item = &[u8]> {
        self.metaindex.iter().filter_map(MetaindexEntry::policy_name)
    }

    /// The filter block of the policy of exactly this name, checked and ready for
    /// [`FilterBlockReader`](crate::FilterBlockReader); `None` when the table has none.
    ///
    /// # Errors
    ///
    /// [`TableError::Damaged`], and the kinds that say why the block could not be read.
    pub fn filter_block(&self, policy_name: &str) -> Result<Option<Vec<u8>>, TableError<R::Error>> {
        let own = |entry: &&MetaindexEntry| entry.policy_name() == Some(policy_name.as_bytes());
        let Some(entry) = self.metaindex.iter().find(own) else {
            return Ok(None);
        };
        let block = BlockRole::Filter;
        let handle = entry.handle().ok_or(Damage::Handle { block })?;
        Ok(Some(self.block(block, handle)?.into_contents()))
    }

    /// Where the data blocks lie, in the order of their keys: what the filters are about.
    ///
    /// # Errors
    ///
    /// [`TableError::Damaged`], and the kinds that say why the index could not be read. LevelDB compresses
    /// the index of all but the smallest tables.
    pub fn data_blocks(&self) -> Result<Vec<BlockHandle>, TableError<R::Error>> {
        let block = BlockRole::Index;
        let handle = self.footer.index.ok_or(Damage::Handle { block })?;
        let index = self.block(block, handle)?;
        let mut entries = index.entries()?;
        let mut handles = Vec::new();
        while let Some(Entry { value, .. }) = entries.next_entry()? {
            let (handle, _) = BlockHandle::decode(value).ok_or(Damage::Handle {
                block: BlockRole::Data,
            })?;
            handles.try_reserve(1).map_err(|_| TableError::AllocationFailed {
                bytes: size_of_val(handles.as_slice()).saturating_add(size_of::<BlockHandle>()),
            })?;
            handles.push(handle);
        }
        Ok(handles)
    }

    /// Reads a block, checks it and decompresses it. The role is for the words of the error.
    ///
    /// # Errors
    ///
    /// [`TableError::Damaged`], and the kinds that say why the block could not be read.
    pub fn block(&self, role: BlockRole, handle: BlockHandle) -> Result<Block, TableError<R::Error>> {
        let mut bytes = self.stored_block(role, handle)?;
        let Some(stored) = StoredBlock::new(&bytes) else {
            return Err(outside(role, handle, self.blocks_end).into());
        };
        let offset = handle.offset;
        stored.verify(role, offset)?;
        match stored.compression() {
            StoredBlock::UNCOMPRESSED => {
                bytes.truncate(stored.contents().len());
                Ok(Block::new(role, bytes))
            }
            StoredBlock::SNAPPY => Ok(Block::new(role, decompress(role, offset, stored.contents())?)),
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
    pub fn stored_block(
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
            .filter(|&len| {
                handle
                    .offset
                    .checked_add(len)
                    .is_some_and(|end| end <= self.blocks_end)
            })
            .ok_or(outside(role, handle, self.blocks_end))
    }
}

/// The largest block of this role that is read, as stored and decompressed.
const fn max_bytes(role: BlockRole) -> u64 {
    match role {
        BlockRole::Metaindex => MAX_METAINDEX_BYTES,
        BlockRole::Index | BlockRole::Filter | BlockRole::Data => MAX_BLOCK_BYTES,
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
