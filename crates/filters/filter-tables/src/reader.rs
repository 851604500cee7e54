//! Reads a LevelDB table from the footer to the filter block.

use alloc::vec::Vec;

use filter_policy::BashoTablePolicy;

use super::block::{Block, Entry};
use super::blocks::{Blocks, MAX_METAINDEX_BYTES};
use super::error::{BlockRole, Damage, Error};
use super::footer::{BlockHandle, Footer, MAGIC, RocksDbForm};
use super::source::ReadAt;

/// The prefix of policy names in the metaindex.
const FILTER_PREFIX: &[u8] = b"filter.";

/// The prefix of the names of RocksDB's own blocks in the metaindex: `rocksdb.properties` in every table of the last
/// decade, `rocksdb.stats` before.
const ROCKSDB_PREFIX: &[u8] = b"rocksdb.";

/// The name under which LevelDB stores its filters, and the one block that Basho's LevelDB (Riak) adds to every table:
/// there the name stands for another format (`table/table_builder.cc` and `util/bloom2.cc` in
/// github.com/basho/leveldb).
const LEVELDB_NAME: &[u8] = b"leveldb.BuiltinBloomFilter2";
const BASHO_KEY: &[u8] = b"stats.sst1";

/// An entry of the metaindex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetaindexEntry {
    key: Vec<u8>,
    value: Vec<u8>,
    /// Set for a table of Basho's.
    is_bashos: bool,
}

impl MetaindexEntry {
    /// Returns the key: `filter.` and the name of a policy, or a key that another program wrote.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Returns the value; a handle in every entry that LevelDB writes.
    pub fn value(&self) -> &[u8] {
        &self.value
    }

    /// Returns the name of the policy whose filters the entry points at; `None` for entries of another kind. Engines
    /// write names in ASCII, but any bytes can be stored. It is the stored name, except for the filters that Basho's
    /// LevelDB (Riak) stores under the name of LevelDB's: their policy is [`BashoTablePolicy`].
    pub fn policy_name(&self) -> Option<&[u8]> {
        match self.key.strip_prefix(FILTER_PREFIX)? {
            LEVELDB_NAME if self.is_bashos => Some(BashoTablePolicy::NAME.as_bytes()),
            name => Some(name),
        }
    }

    /// Returns true for the entries that RocksDB puts into every table: `rocksdb.properties` and others.
    pub(super) fn is_of_rocksdb(&self) -> bool {
        self.key.starts_with(ROCKSDB_PREFIX)
    }

    /// Returns the handle of the block that the entry points at; `None` when the value is not a handle.
    pub fn handle(&self) -> Option<BlockHandle> {
        BlockHandle::decode(&self.value).map(|(handle, _)| handle)
    }
}

/// A LevelDB table whose footer and metaindex have been read and checked.
///
/// ```
/// use filter_tables::{Table, Error};
///
/// assert_eq!(Table::open(&[][..]).unwrap_err(), Error::TooShort { size: 0 });
/// assert_eq!(
///     Table::open(&[0; 64][..]).unwrap_err().to_string(),
///     "last 8 bytes of a table of LevelDB must be 0xdb4775248b80fb57, got 0x0000000000000000"
/// );
/// ```
#[derive(Debug, Clone)]
pub struct Table<R> {
    blocks: Blocks<R>,
    footer: Footer,
    metaindex: Vec<MetaindexEntry>,
}

impl<R: ReadAt> Table<R> {
    /// Reads the footer and the metaindex: two or three reads, whatever the size of the table.
    ///
    /// # Errors
    ///
    /// Every kind of [`Error`]. If the metaindex is damaged, LevelDB itself continues without filters, and without
    /// `paranoid_checks` it does not verify the metaindex's checksum.
    pub fn open(reader: R) -> Result<Self, Error<R::Error>> {
        let (blocks, footer) = Blocks::behind_footer(reader)?;
        let footer = Footer::decode(&footer);
        if let Some(form) = footer.rocksdb_form() {
            return Err(Error::RocksDb(form));
        }
        if footer.magic != MAGIC {
            return Err(Error::UnknownMagic { found: footer.magic });
        }

        let mut metaindex = read_metaindex(&blocks, footer.metaindex)?;
        if metaindex.iter().any(MetaindexEntry::is_of_rocksdb) {
            return Err(Error::RocksDb(RocksDbForm::BlockBasedVersion0));
        }
        if metaindex.iter().any(|entry| entry.key() == BASHO_KEY) {
            metaindex.iter_mut().for_each(|entry| entry.is_bashos = true);
        }
        Ok(Self {
            blocks,
            footer,
            metaindex,
        })
    }

    /// Returns the footer.
    pub const fn footer(&self) -> Footer {
        self.footer
    }

    /// Returns the entries of the metaindex, in stored order.
    pub fn metaindex(&self) -> &[MetaindexEntry] {
        &self.metaindex
    }

    /// Returns the names of the policies whose filters the table holds. LevelDB writes at most one.
    pub fn policy_names(&self) -> impl Iterator<Item = &[u8]> {
        self.metaindex.iter().filter_map(MetaindexEntry::policy_name)
    }

    /// Returns the filter block of the policy with exactly this name, checked and ready for
    /// [`FilterBlockReader`](filter_policy::filter_block::FilterBlockReader); `None` when the table has none.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], and the errors of reading the block.
    pub fn filter_block(&self, policy_name: &str) -> Result<Option<Vec<u8>>, Error<R::Error>> {
        let own = |entry: &&MetaindexEntry| entry.policy_name() == Some(policy_name.as_bytes());
        let Some(entry) = self.metaindex.iter().find(own) else {
            return Ok(None);
        };
        let block = BlockRole::Filter;
        let handle = entry.handle().ok_or(Damage::Handle { block })?;
        Ok(Some(self.block(block, handle)?.into_contents()))
    }

    /// Returns the handles of the data blocks, in key order.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], and the errors of reading the index. LevelDB compresses
    /// the index of all but the smallest tables.
    pub fn data_blocks(&self) -> Result<Vec<BlockHandle>, Error<R::Error>> {
        let block = BlockRole::Index;
        let handle = self.footer.index.ok_or(Damage::Handle { block })?;
        let index = self.block(block, handle)?;
        let mut entries = index.entries()?;
        let mut handles = Vec::new();
        let mut rest = entries.clone();
        let len = core::iter::from_fn(|| rest.next_value().ok().flatten()).count();
        reserve(&mut handles, len)?;
        while let Some(value) = entries.next_value()? {
            let (handle, _) = BlockHandle::decode(value).ok_or(Damage::Handle {
                block: BlockRole::Data,
            })?;
            push(&mut handles, handle)?;
        }
        Ok(handles)
    }

    /// Reads a block, checks it and decompresses it. The role sets the size limit and appears in errors.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], and the errors of reading the block.
    pub fn block(&self, role: BlockRole, handle: BlockHandle) -> Result<Block, Error<R::Error>> {
        self.blocks.block(role, handle)
    }

    /// Reads a block as stored, with its trailer and unchecked, for [`StoredBlock::new`]: for programs that examine
    /// damaged tables.
    ///
    /// # Errors
    ///
    /// [`Damage::Outside`]; [`Error::TooLarge`] for a metaindex above [`MAX_METAINDEX_BYTES`] and any
    /// block above [`MAX_BLOCK_BYTES`](super::MAX_BLOCK_BYTES); the errors of reading the bytes.
    ///
    /// [`StoredBlock::new`]: super::StoredBlock::new
    pub fn stored_block(&self, role: BlockRole, handle: BlockHandle) -> Result<Vec<u8>, Error<R::Error>> {
        self.blocks.stored_block(role, handle)
    }
}

/// Reads the entries of the metaindex at this handle.
pub(super) fn read_metaindex<R: ReadAt>(
    blocks: &Blocks<R>,
    handle: Option<BlockHandle>,
) -> Result<Vec<MetaindexEntry>, Error<R::Error>> {
    let block = BlockRole::Metaindex;
    let metaindex = blocks.block(block, handle.ok_or(Damage::Handle { block })?)?;
    entries_of(block, &metaindex)
}

/// Returns all entries of a block with few entries.
pub(super) fn entries_of<E>(role: BlockRole, block: &Block) -> Result<Vec<MetaindexEntry>, Error<E>> {
    let mut entries = block.entries()?;
    let mut collected = Vec::new();
    // Keys with a shared start take more memory than in the file.
    let mut size = 0_u64;
    while let Some(Entry { key, value }) = entries.next_entry()? {
        size = size.saturating_add((key.len() + value.len()) as u64);
        Error::check_size(role, size, MAX_METAINDEX_BYTES)?;
        let (key, value) = (copied(key)?, copied(value)?);
        push(
            &mut collected,
            MetaindexEntry {
                key,
                value,
                is_bashos: false,
            },
        )?;
    }
    Ok(collected)
}

pub(super) fn push<T, E>(items: &mut Vec<T>, item: T) -> Result<(), Error<E>> {
    if items.len() == items.capacity() {
        reserve(items, 1)?;
    }
    items.push(item);
    Ok(())
}

/// Reserves memory for more items, with little to spare: an index can have a third as many entries as bytes.
pub(super) fn reserve<T, E>(items: &mut Vec<T>, more: usize) -> Result<(), Error<E>> {
    let more = more.max(items.len() / 4);
    items
        .try_reserve_exact(more)
        .map_err(|_| Error::AllocationFailed {
            bytes: size_of_val(items.as_slice()).saturating_add(more.saturating_mul(size_of::<T>())),
        })
}

/// Copies bytes of a table.
pub(super) fn copied<E>(bytes: &[u8]) -> Result<Vec<u8>, Error<E>> {
    let mut copy = Vec::new();
    reserve(&mut copy, bytes.len())?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}
