//! Reads a RocksDB table from the footer to the filters and the keys.

use alloc::format;
use alloc::vec::Vec;

use filter_policy::BinaryFusePolicy;
use filter_policy::rocksdb::{FastLocalBloomPolicy, LegacyBloomPolicy, NAME_IN_TABLES, RibbonPolicy};

use super::super::block::Block;
use super::super::blocks::{Blocks, Protection, of_place};
use super::super::error::{BlockRole, Damage, Error};
use super::super::footer::{
    BlockHandle, FOOTER_LEN, Footer, MAGIC, MAX_FORMAT_VERSION, MAX_PEBBLE_VERSION, PEBBLE_MAGIC,
};
use super::super::reader::{MetaindexEntry, copied, entries_of, push, read_metaindex, reserve};
use super::super::source::ReadAt;
use super::super::stored::StoredBlock;
use super::filters::{FilterHandles, FilterPartition, FilteredPart, RocksDbFilters};
use super::footer::{ROCKSDB_FOOTER_LEN, ROCKSDB_MAGIC, RocksDbFooter, format_version};
use super::index::{IndexEntries, IndexEntry};
use super::properties::{IndexForm, RocksDbProperties};

/// The prefix of the name of a full filter, which covers all keys.
const FULL_PREFIX: &[u8] = b"fullfilter.";

/// The prefix of the name of partitioned filters.
const PARTITIONED_PREFIX: &[u8] = b"partitionedfilter.";

/// The prefix of the name of filter blocks like LevelDB's.
const BLOCK_BASED_PREFIX: &[u8] = b"filter.";

const PREFIXES: [&[u8]; 3] = [FULL_PREFIX, PARTITIONED_PREFIX, BLOCK_BASED_PREFIX];

/// The names of filters: the name that all releases write, then those of early releases of 7.0, TiKV's, and Pebble's
/// further one.
///
/// Source: RocksDB, `table/block_based/filter_policy.cc` (`kCompatibilityName`, `kClassName`, `kNickName`); tables of
/// TiKV; Pebble, `sstable/tablefilters/binaryfuse`.
const NAMES: [&str; 10] = [
    NAME_IN_TABLES,
    "rocksdb.BuiltinBloomFilter.FullBloom",
    "rocksdb.BuiltinBloomFilter.Ribbon",
    BinaryFusePolicy::NAME,
    FastLocalBloomPolicy::NAME,
    RibbonPolicy::NAME,
    LegacyBloomPolicy::NAME,
    "rocksdb.internal.DeprecatedBlockBasedBloomFilter",
    "bloomfilter",
    "ribbonfilter",
];

fn is_known(name: &[u8]) -> bool {
    NAMES.iter().any(|known| known.as_bytes() == name)
}

/// The maximum number of bytes of filter partitions and the separators between them: enough for a million partitions,
/// which RocksDB makes some KiB large each.
const MAX_SEPARATOR_BYTES: u64 = 1 << 26;

/// The length of the sequence number and kind after the user's key.
const INTERNAL_LEN: usize = 8;

/// A block-based RocksDB table whose footer, metaindex and properties have been read and checked.
///
/// ```no_run
/// use filter_tables::RocksDbTable;
/// use filter_policy::rocksdb::FastLocalBloomPolicy;
/// use filter_policy::{BitsPerKey, FilterPolicy};
///
/// // Every policy of RocksDB's reads every kind of filter, whatever its bits per key. (Pebble's filters whose `filters_name` is
/// // `binaryfuse` are read by `BinaryFusePolicy` of filter-policy.)
/// let policy = FastLocalBloomPolicy::new(BitsPerKey::whole(10));
/// let bytes = std::fs::read("000008.sst")?;
/// let table = RocksDbTable::open(bytes.as_slice())?;
/// let filters = table.filters()?;
/// let may_match = filters.may_match(b"key", |key, handle| {
///     Ok::<_, Box<dyn std::error::Error>>(policy.key_may_match(key, &table.filter(handle)?))
/// })?;
/// println!("{may_match}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RocksDbTable<R> {
    blocks: Blocks<R>,
    footer: RocksDbFooter,
    metaindex: Vec<MetaindexEntry>,
    properties: RocksDbProperties,
    index_form: IndexForm,
}

impl<R: ReadAt> RocksDbTable<R> {
    /// Reads the footer, the metaindex and the properties: a few reads, whatever the size of the table.
    ///
    /// # Errors
    ///
    /// Every kind of [`Error`], except [`Error::RocksDb`] of a block-based table; [`Error::NotRocksDb`]
    /// for a LevelDB table.
    pub fn open(reader: R) -> Result<Self, Error<R::Error>> {
        let (blocks, footer) = Blocks::behind_footer(reader)?;
        let footer = Footer::decode(&footer);
        let (blocks, footer) = match (footer.magic, footer.rocksdb_form()) {
            (ROCKSDB_MAGIC | PEBBLE_MAGIC, _) => read_footer(blocks)?,
            (MAGIC, _) => {
                let footer = RocksDbFooter::from_leveldb(footer);
                (with_protection(blocks, 0, footer)?, footer)
            }
            (_, Some(form)) => return Err(Error::RocksDb(form)),
            (found, None) => return Err(Error::UnknownMagic { found }),
        };
        let metaindex = read_metaindex(&blocks, footer.metaindex)?;
        if footer.format_version == 0 && !metaindex.iter().any(MetaindexEntry::is_of_rocksdb) {
            return Err(Error::NotRocksDb);
        }
        let properties = read_properties(&blocks, &metaindex)?;
        let index_form = properties.index_form()?;
        Ok(Self {
            blocks,
            footer,
            metaindex,
            properties,
            index_form,
        })
    }

    /// Returns the footer.
    pub const fn footer(&self) -> RocksDbFooter {
        self.footer
    }

    /// Returns the entries of the metaindex, in stored order.
    pub fn metaindex(&self) -> &[MetaindexEntry] {
        &self.metaindex
    }

    /// Returns the properties, which are empty if the table has none.
    pub const fn properties(&self) -> &RocksDbProperties {
        &self.properties
    }

    /// Returns the name under which the metaindex lists the filters, without its prefix; `None` without filters.
    pub fn filters_name(&self) -> Option<&str> {
        self.filters_entry().map(|(_, name, _)| name)
    }

    /// Returns true if the filters have whole keys. Pebble's have the part of a key that the database's comparer
    /// selects, which is the whole key for its own.
    pub fn has_whole_keys(&self) -> bool {
        self.properties.has_whole_keys() && (!self.footer.is_pebbles || self.properties.is_bytewise())
    }

    /// Returns the part of a key that the filters hold.
    fn filtered_part(&self) -> FilteredPart {
        match self.properties.prefix_extractor() {
            _ if self.has_whole_keys() => FilteredPart::WholeKey,
            Some(name) if !self.footer.is_pebbles => FilteredPart::of_extractor(name),
            _ => FilteredPart::Unknown,
        }
    }

    /// Returns the names, without their prefix, under which the metaindex lists filters of unknown policies, and the
    /// handles.
    pub fn unknown_filters(&self) -> impl Iterator<Item = (&[u8], Option<BlockHandle>)> {
        self.metaindex.iter().filter_map(|entry| {
            let name = PREFIXES
                .into_iter()
                .find_map(|prefix| entry.key().strip_prefix(prefix))?;
            (!is_known(name)).then(|| (name, entry.handle()))
        })
    }

    /// Returns the filters of the table; partitioned filters with the place of each.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], and the errors of reading a block.
    pub fn filters(&self) -> Result<RocksDbFilters, Error<R::Error>> {
        Ok(RocksDbFilters::new(
            self.filter_handles()?,
            self.filtered_part(),
            self.properties.is_bytewise(),
        ))
    }

    fn filter_handles(&self) -> Result<FilterHandles, Error<R::Error>> {
        let Some((prefix, _, entry)) = self.filters_entry() else {
            return Ok(FilterHandles::None);
        };
        let block = BlockRole::Filter;
        let handle = entry.handle().ok_or(Damage::Handle { block })?;
        if prefix == FULL_PREFIX {
            return Ok(FilterHandles::Full(handle));
        }
        if prefix == BLOCK_BASED_PREFIX {
            return Ok(FilterHandles::BlockBased(handle));
        }
        let form = IndexForm {
            has_first_keys: false,
            ..self.index_form
        };
        let mut partitions = Vec::new();
        let block = BlockRole::FilterIndex;
        let index = read_entries(&self.blocks, block, handle)?;
        let mut entries = IndexEntries::new(block, form, index.entry_bytes()?);
        // Keys with a shared start take more memory than in the file.
        let mut size = 0_u64;
        while let Some(IndexEntry { key, handle }) = entries.next_entry()? {
            size = size.saturating_add((key.len() + size_of::<FilterPartition>()) as u64);
            Error::check_size(block, size, MAX_SEPARATOR_BYTES)?;
            let user_key = if form.has_user_keys {
                Some(key)
            } else {
                key.split_last_chunk::<INTERNAL_LEN>().map(|(key, _)| key)
            };
            let partition = FilterPartition {
                separator: copied(user_key.unwrap_or_default())?,
                handle,
            };
            push(&mut partitions, partition)?;
        }
        Ok(FilterHandles::Partitioned(partitions))
    }

    /// Returns a filter, checked and ready for any policy of RocksDB's.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], and the errors of reading the block.
    pub fn filter(&self, handle: BlockHandle) -> Result<Vec<u8>, Error<R::Error>> {
        Ok(self.blocks.block(BlockRole::Filter, handle)?.into_contents())
    }

    /// Returns the handles of the data blocks, in key order.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], and the errors of reading the index.
    pub fn data_blocks(&self) -> Result<Vec<BlockHandle>, Error<R::Error>> {
        let block = BlockRole::Index;
        let in_metaindex = || {
            self.metaindex
                .iter()
                .find(|entry| entry.key() == b"rocksdb.index")?
                .handle()
        };
        let handle = if self.footer.format_version < 6 {
            self.footer.index
        } else {
            in_metaindex()
        };
        let handle = handle.ok_or(Damage::Handle { block })?;
        let mut handles = Vec::new();
        self.add_handles(block, handle, &mut handles)?;
        if !self.index_form.has_partitions {
            return Ok(handles);
        }
        // Each part must lie after the previous one, so that no block is read repeatedly.
        let (mut data, mut end) = (Vec::new(), 0);
        for handle in handles {
            let block = BlockRole::IndexPartition;
            if handle.offset < end {
                return Err(Damage::Handle { block }.into());
            }
            end = handle.offset.saturating_add(handle.size);
            self.add_handles(block, handle, &mut data)?;
        }
        Ok(data)
    }

    /// Reads a block, checks it and decompresses it. The role sets the size limit and appears in errors.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], and the errors of reading the block.
    pub fn block(&self, role: BlockRole, handle: BlockHandle) -> Result<Block, Error<R::Error>> {
        read_entries(&self.blocks, role, handle)
    }

    /// Reads a block as stored, with its trailer and unchecked, for [`StoredBlock::new`]: for programs that examine
    /// damaged tables.
    ///
    /// # Errors
    ///
    /// [`Damage::Outside`], [`Error::TooLarge`], and the errors of reading the bytes.
    pub fn stored_block(&self, role: BlockRole, handle: BlockHandle) -> Result<Vec<u8>, Error<R::Error>> {
        self.blocks.stored_block(role, handle)
    }

    /// Checks a block against the checksum stored after it, of the table's kind, which in newer tables depends on the
    /// offset. Properties may also match with the number 0 in `rocksdb.external_sst_file.global_seqno`: RocksDB writes
    /// another one into tables that it ingests, and leaves the checksum. For other roles, the role only appears in the
    /// error.
    ///
    /// # Errors
    ///
    /// [`Damage::Checksum`].
    pub fn verify(&self, stored: &StoredBlock<'_>, role: BlockRole, offset: u64) -> Result<(), Damage> {
        self.blocks.protection().verify(stored, role, offset)
    }

    /// Returns the prefix, the name and the whole of the metaindex entry of the filters.
    fn filters_entry(&self) -> Option<(&'static [u8], &str, &MetaindexEntry)> {
        self.metaindex.iter().find_map(|entry| {
            let (prefix, name) = (PREFIXES.into_iter())
                .find_map(|prefix| Some((prefix, entry.key().strip_prefix(prefix)?)))?;
            let name = str::from_utf8(name).ok().filter(|_| is_known(name))?;
            Some((prefix, name, entry))
        })
    }

    /// Adds the handles of an index.
    fn add_handles(
        &self,
        role: BlockRole,
        handle: BlockHandle,
        handles: &mut Vec<BlockHandle>,
    ) -> Result<(), Error<R::Error>> {
        let block = read_entries(&self.blocks, role, handle)?;
        let mut entries = IndexEntries::new(role, self.index_form, block.entry_bytes()?);
        let len = entries.count();
        if handles.capacity() - handles.len() < len {
            reserve(handles, len)?;
        }
        while let Some(handle) = entries.next_handle()? {
            push(handles, handle)?;
        }
        Ok(())
    }
}

/// Reads a block and rejects unsupported arrangements of entries.
fn read_entries<R: ReadAt>(
    blocks: &Blocks<R>,
    role: BlockRole,
    handle: BlockHandle,
) -> Result<Block, Error<R::Error>> {
    let block = blocks.block(role, handle)?;
    match block.other_layout() {
        bits if bits != 0 && role != BlockRole::Filter => {
            let reason = format!("the {role} is laid out in a way that is not supported ({bits:#010x})");
            Err(Error::Unsupported { reason })
        }
        _ => Ok(block),
    }
}

/// Reads the footer of a table of format version 1 or later.
fn read_footer<R: ReadAt>(blocks: Blocks<R>) -> Result<(Blocks<R>, RocksDbFooter), Error<R::Error>> {
    const LONGER: u64 = (ROCKSDB_FOOTER_LEN - FOOTER_LEN) as u64;

    let size = blocks.end().saturating_add(FOOTER_LEN as u64);
    let too_short = Error::TooShort { size };
    let offset = blocks.end().checked_sub(LONGER).ok_or(too_short)?;
    let mut bytes = [0; ROCKSDB_FOOTER_LEN];
    blocks.read(offset, &mut bytes)?;
    let found = format_version(&bytes);
    let (most, whose) = match bytes.ends_with(&PEBBLE_MAGIC.to_le_bytes()) {
        true => (
            MAX_PEBBLE_VERSION,
            "Pebble's table, whose later versions are columnar,",
        ),
        false => (MAX_FORMAT_VERSION, "the table"),
    };
    if found > most {
        let reason = format!("format version of {whose} must be between 0 and {most}, got {found}");
        return Err(Error::Unsupported { reason });
    }
    let footer = RocksDbFooter::decode(&bytes, offset)?;
    let blocks = with_protection(blocks, LONGER, footer)?;
    if let Some((stored, [without @ .., last])) = footer.own_checksum(&bytes) {
        // Files without checksums still store the number of the place here.
        let place = of_place(footer.base_checksum, offset);
        let computed = blocks
            .protection()
            .checksum(&without, last, offset)
            .unwrap_or(place);
        if computed != stored {
            let block = BlockRole::Footer;
            return Err(Damage::Checksum {
                block,
                offset,
                stored,
                computed,
            }
            .into());
        }
    }
    Ok((blocks, footer))
}

/// Returns the blocks with the kind of checksums that the footer names.
fn with_protection<R: ReadAt>(
    blocks: Blocks<R>,
    longer: u64,
    footer: RocksDbFooter,
) -> Result<Blocks<R>, Error<R::Error>> {
    let kind = footer.checksum;
    if !kind.is_supported() {
        let reason = format!("the table's checksums are {kind}, which needs the feature `xxhash`");
        return Err(Error::Unsupported { reason });
    }
    let size = blocks.end();
    let protection = Protection::RocksDb {
        kind,
        base: footer.base_checksum,
        // Pebble states lengths in every version as RocksDB does since its second.
        format_version: footer.format_version.max(2 * u32::from(footer.is_pebbles)),
    };
    blocks
        .of_rocksdb(longer, protection)
        .ok_or(Error::TooShort { size })
}

/// Reads the properties, which are empty if the metaindex names none.
fn read_properties<R: ReadAt>(
    blocks: &Blocks<R>,
    metaindex: &[MetaindexEntry],
) -> Result<RocksDbProperties, Error<R::Error>> {
    let block = BlockRole::Properties;
    // Releases before 2.7 use the second name.
    let is_properties =
        |entry: &&MetaindexEntry| [&b"rocksdb.properties"[..], b"rocksdb.stats"].contains(&entry.key());
    let Some(entry) = metaindex.iter().find(is_properties) else {
        return Ok(RocksDbProperties::default());
    };
    let contents = read_entries(blocks, block, entry.handle().ok_or(Damage::Handle { block })?)?;
    Ok(RocksDbProperties::new(entries_of(block, &contents)?))
}
