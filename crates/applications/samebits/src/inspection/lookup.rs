//! Looks keys up in the filters of a table. Knows nothing of arguments.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs::File;
use std::io;

use filter_policy::filter_block::FilterBlockReader;
use filter_policy::formats;
use filter_policy::leveldb::KeyHasher;
use filter_policy::policies::{self, AnyPolicy};
use filter_policy::rocksdb::FastLocalBloomPolicy;
use filter_policy::view::FilterView;
use filter_policy::{BloomFilterPolicy, FilterPolicy as _};
use filter_tables::{BlockHandle, BlockRole, Entry, Error, FilterHandles, FilteredPart, RocksDbTable, Table};

use hashzoo::{LEVELDB_BLOOM_SEED, rocksdb_hash};

use super::findings::Unread;

/// Returns true if a table may contain a user's key. `false` is certain.
type KeyLookup = Box<dyn Fn(&[u8]) -> bool>;

/// Answers for user's keys from the filters of a table.
pub(crate) struct MayHold {
    pub(crate) answer: KeyLookup,
    /// The filters, if each key is looked up in all of them.
    pub(crate) all: Option<AllFilters>,
    /// The name of the extractor, if filters have prefixes alone.
    pub(crate) extractor: Option<String>,
}

/// Filters that are all queried for each key, because the table does not show which of them answers for it.
pub(crate) struct AllFilters {
    pub(crate) count: usize,
    /// The probability that an absent key matches.
    pub(crate) rate: f64,
}

impl AllFilters {
    fn new(count: usize, rates: impl Iterator<Item = f64>) -> Self {
        let none: f64 = rates.map(|rate| 1.0 - rate).product();
        let rate = 1.0 - none;
        Self { count, rate }
    }
}

/// Names the filters that a table has in place of those that answer.
fn other_filters<'n>(names: impl Iterator<Item = &'n [u8]>) -> Unread {
    let names: Vec<String> = names.map(|name| name.escape_ascii().to_string()).collect();
    no_filters(&match names.is_empty() {
        true => "no filters".to_owned(),
        false => format!("policy {}", names.join(", ")),
    })
}

fn no_filters(got: &str) -> Unread {
    Unread::Other(format!(
        "table must have filters of a known policy, over whole keys, got {got}"
    ))
}

/// Opens the filters of a table of LevelDB, RocksDB or Pebble. The data of LevelDB's is read for the order of its keys.
///
/// # Errors
///
/// If the table cannot be read, or has no filters that answer for whole keys.
pub(crate) fn open(file: &File) -> Result<MayHold, Unread> {
    // A few bytes may be another file.
    let unread = |error| match error {
        Error::TooShort { .. } => Unread::Other(error.to_string()),
        error => error.into(),
    };
    match Table::open(file) {
        Ok(table) => leveldb(&table).or_else(|unread| if_empty(table.data_blocks(), unread)),
        Err(Error::RocksDb(_)) => {
            let table = RocksDbTable::open(file).map_err(unread)?;
            rocksdb(&table).or_else(|unread| if_empty(table.data_blocks(), unread))
        }
        Err(error) => Err(unread(error)),
    }
}

/// Answers for a table that has no filters if it has no data blocks either, and so no keys.
fn if_empty(blocks: Result<Vec<BlockHandle>, Error<io::Error>>, unread: Unread) -> Result<MayHold, Unread> {
    match blocks {
        Ok(blocks) if blocks.is_empty() && !unread.is_damage() => Ok(MayHold {
            answer: Box::new(|_| false),
            all: None,
            extractor: None,
        }),
        _ => Err(unread),
    }
}

/// LevelDB's policy as a compiler with signed characters makes it: the last bytes of keys are hashed otherwise.
/// goleveldb and LevelDB before 1.18 store filters of either kind as `leveldb.BuiltinBloomFilter`; RocksDB's hash is
/// this one.
struct SignedTail;

impl KeyHasher for SignedTail {
    fn hash(&self, key: &[u8]) -> u32 {
        rocksdb_hash(key, LEVELDB_BLOOM_SEED)
    }

    fn policy_name(&self) -> &'static str {
        super::OLD_LEVELDB_NAME
    }
}

/// Returns the policies that may have written the filters under this name: the name does not show whether a
/// compiler with signed characters hashed the last bytes of keys.
fn policies_of(name: &[u8]) -> Vec<AnyPolicy> {
    let known = |name: &str| policies::reader(name).ok();
    match str::from_utf8(name) {
        Ok("BloomFilter2") => ["BloomFilter2", "BloomFilter2.SignedTail"]
            .into_iter()
            .filter_map(known)
            .collect(),
        Ok(super::OLD_LEVELDB_NAME) => {
            let signed: AnyPolicy = Box::new(BloomFilterPolicy::with_hasher(SignedTail, 10.into()));
            known("leveldb.BuiltinBloomFilter2")
                .into_iter()
                .chain([signed])
                .collect()
        }
        name => name.ok().and_then(known).into_iter().collect(),
    }
}

/// The bytes of sequence number and kind after each user's key in a database. Other tables have nothing there.
const TAG_LEN: usize = 8;

fn leveldb(table: &Table<&File>) -> Result<MayHold, Unread> {
    let name = table.policy_names().find(|name| !policies_of(name).is_empty());
    let name = name.and_then(|name| str::from_utf8(name).ok());
    let (Some(name), Some(index)) = (name, table.footer().index) else {
        return Err(other_filters(table.policy_names()));
    };
    let Some(block) = table.filter_block(name)? else {
        return Err(other_filters(table.policy_names()));
    };
    let format = super::format_of(name.as_bytes());
    let filters: Vec<_> = (policies_of(name.as_bytes()).into_iter())
        .map(|policy| FilterBlockReader::new(policy, block.clone()))
        .collect();
    let index = table.block(BlockRole::Index, index)?;
    let (mut entries, mut blocks) = (index.entries().map_err(Error::from)?, Vec::new());
    for handle in table.data_blocks()? {
        let last_key = entries
            .next_entry()
            .map_err(Error::from)?
            .map_or(&[][..], |entry| entry.key);
        blocks.push((last_key.to_vec(), handle));
    }
    let choices = choices(table, &blocks);
    let reader = FilterBlockReader::new((), block);
    let mut all: Vec<u64> = blocks.iter().map(|(_, handle)| handle.offset).collect();
    all.dedup_by_key(|offset| *offset >> reader.base_lg().min(63));
    let read = all.iter().filter_map(|&offset| reader.filter_of(offset));
    let rates = read.filter_map(|filter| Some(FilterView::new(format?, filter).expected_rate()));
    // Of an ordinary key.
    let is_one = choices.iter().find(|choice| **choice != Choice::Nothing) == Some(&Choice::One);
    let in_all = (!is_one && all.len() > 1).then(|| AllFilters::new(all.len(), rates));
    let answer = move |key: &[u8]| {
        let may_match = |offset| filters.iter().any(|filters| filters.may_match(offset, key));
        [TAG_LEN, 0]
            .into_iter()
            .zip(choices)
            .any(|(tag_len, choice)| match choice {
                Choice::Nothing => false,
                Choice::AllIfTagged if !may_have_tag(key) => false,
                Choice::One => {
                    let block = blocks.get(place(&blocks, tag_len, key));
                    block.is_some_and(|(_, handle)| may_match(handle.offset))
                }
                Choice::All | Choice::AllIfTagged => all.iter().any(|&offset| may_match(offset)),
            })
    };
    Ok(MayHold {
        answer: Box::new(answer),
        all: in_all,
        extractor: None,
    })
}

/// Returns the place of the first block whose last key is not below the key, if keys are ordered by their bytes.
fn place(blocks: &[(Vec<u8>, BlockHandle)], tag_len: usize, key: &[u8]) -> usize {
    blocks.partition_point(|(last, _)| without_tag(last, tag_len) < key)
}

fn without_tag(key: &[u8], tag_len: usize) -> &[u8] {
    &key[..key.len().saturating_sub(tag_len)]
}

/// Returns true if a key may end in the sequence number and kind of a database: the first byte is the kind, of which
/// LevelDB has two and its forks a few more.
fn may_have_tag(key: &[u8]) -> bool {
    key.last_chunk::<TAG_LEN>().is_some_and(|[kind, ..]| *kind < 16)
}

/// The filters that answer for a key in a table of LevelDB.
#[derive(Clone, Copy, PartialEq)]
enum Choice {
    Nothing,
    /// The filter of the block that the key belongs to in the order of bytes.
    One,
    All,
    /// Every stored key ends like one with a tag: all filters if this key does, too.
    AllIfTagged,
}

/// Returns the filters that answer for a key as it is stored in a database, before a tag, and for one without. The data
/// is read for it: the comparator decides the order, and the table does not name that. A block is given with the last
/// key that the index states. Blocks that cannot be read show nothing.
fn choices(table: &Table<&File>, blocks: &[(Vec<u8>, BlockHandle)]) -> [Choice; 2] {
    // Set if all stored keys may have tags. Otherwise none has.
    let mut have_tags = true;
    // Set if each stored key, without a tag and with it, is in the block where it belongs in the order of bytes.
    let mut is_bytewise = [TAG_LEN, 0].map(|tag_len| {
        let last = |(key, _): &(Vec<u8>, _)| without_tag(key, tag_len).to_vec();
        blocks.len() > 1 && blocks.is_sorted_by_key(last)
    });
    let mut previous = Vec::new();
    for (at, (_, handle)) in blocks.iter().enumerate() {
        let read = table.block(BlockRole::Data, *handle);
        let complete = read.ok().and_then(|block| {
            let mut entries = block.entries().ok()?;
            while let Some(Entry { key, .. }) = entries.next_entry().ok()? {
                have_tags &= may_have_tag(key);
                for (is_bytewise, tag_len) in is_bytewise.iter_mut().zip([TAG_LEN, 0]) {
                    let user_key = without_tag(key, tag_len);
                    // Versions of a key may go on in the next block: the first one decides.
                    let is_next_version = at > 0 && user_key == without_tag(&previous, tag_len);
                    *is_bytewise &= is_next_version || place(blocks, tag_len, user_key) == at;
                }
                previous.clear();
                previous.extend_from_slice(key);
            }
            Some(())
        });
        if complete.is_none() {
            is_bytewise = [false; 2];
            break;
        }
    }
    let before_tag = match (have_tags, is_bytewise[0]) {
        (false, _) => Choice::Nothing,
        (_, true) => Choice::One,
        (_, false) => Choice::All,
    };
    let without = match is_bytewise[1] {
        true => Choice::One,
        false if before_tag == Choice::One => Choice::AllIfTagged,
        false => Choice::All,
    };
    [before_tag, without]
}

fn rocksdb(table: &RocksDbTable<&File>) -> Result<MayHold, Unread> {
    let filters = table.filters()?;
    let handles: Vec<BlockHandle> = match filters.handles() {
        FilterHandles::Full(handle) | FilterHandles::BlockBased(handle) => vec![*handle],
        FilterHandles::Partitioned(partitions) => partitions.iter().map(|part| part.handle).collect(),
        _ => return Err(other_filters(table.unknown_filters().map(|(name, _)| name))),
    };
    match (filters.part(), filters.handles()) {
        (FilteredPart::WholeKey, FilterHandles::BlockBased(handle)) => {
            return Ok(block_based(table.filter(*handle)?));
        }
        (FilteredPart::Unknown, _) | (_, FilterHandles::BlockBased(_)) => {
            return Err(no_filters("filters of prefixes only"));
        }
        _ => {}
    }
    let extractor = table
        .properties()
        .prefix_extractor()
        .filter(|_| !table.has_whole_keys());
    let extractor = extractor.map(super::readable);
    let read = |handle: BlockHandle| Ok((handle.offset, table.filter(handle)?));
    let read: BTreeMap<_, _> = handles.into_iter().map(read).collect::<Result<_, Error<_>>>()?;
    let name = table.filters_name().unwrap_or_default();
    let format = super::format_of(name.as_bytes()).unwrap_or(formats::FAST_LOCAL_BLOOM);
    // The bytes of filters of RocksDB identify their kind, whatever the name.
    let policy = policies::reader(name).unwrap_or_else(|_| Box::new(FastLocalBloomPolicy::new(10.into())));
    let rates = read
        .values()
        .map(|filter| FilterView::new(format, filter).expected_rate());
    let all = (!filters.has_one_for_each_key()).then(|| AllFilters::new(read.len(), rates));
    let answer = move |key: &[u8]| {
        let query = |part: &[u8], handle: BlockHandle| -> Result<bool, Infallible> {
            let filter = read.get(&handle.offset);
            Ok(filter.is_none_or(|filter| policy.key_may_match(part, filter)))
        };
        let Ok(may_match) = filters.may_match(key, query);
        may_match
    };
    let answer = Box::new(answer);
    Ok(MayHold {
        answer,
        all,
        extractor,
    })
}

/// Opens a filter block of RocksDB before 7.0. It has a filter for each 2 KiB of data, of which all are queried.
fn block_based(block: Vec<u8>) -> MayHold {
    // Early releases hashed the last bytes of keys as the compiler's characters are.
    let policies = policies_of(super::OLD_LEVELDB_NAME.as_bytes());
    let filters = FilterBlockReader::new((), block);
    let read = filters.filters().filter_map(|filter| filter.bytes);
    let rates = read.map(|filter| FilterView::new(formats::LEVEL_DB, filter).expected_rate());
    let all = (filters.len() > 1).then(|| AllFilters::new(filters.len(), rates));
    let answer = move |key: &[u8]| {
        let may_match = |filter: &[u8]| policies.iter().any(|policy| policy.key_may_match(key, filter));
        filters.is_empty() || filters.filters().any(|filter| filter.bytes.is_none_or(may_match))
    };
    let answer = Box::new(answer);
    let extractor = None;
    MayHold {
        answer,
        all,
        extractor,
    }
}
