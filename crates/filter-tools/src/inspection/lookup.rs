//! Looks keys up in the filters of a table. Knows nothing of arguments.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;

use filter_formats::Format;
use filter_formats::policies::{self, AnyPolicy};
use filter_formats::rocksdb::FastLocalBloomPolicy;
use filter_formats::view::FilterView;
use filter_policy::FilterPolicy as _;
use filter_policy::filter_block::FilterBlockReader;
use filter_tables::{BlockHandle, BlockRole, Entry, Error, FilterHandles, RocksDbTable, Table};

use super::file::TableFile;

/// Returns whether a table may hold a user's key. `false` is certain.
type Answer = Box<dyn Fn(&[u8]) -> bool>;

/// Answers for user's keys from the filters of a table.
pub(crate) struct MayHold {
    pub(crate) answer: Answer,
    /// The filters, if each key is looked up in all of them.
    pub(crate) all: Option<AllFilters>,
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

/// Opens the filters of a table of LevelDB or RocksDB.
///
/// # Errors
///
/// If the table cannot be read, or has no filters that answer for whole keys.
pub(crate) fn open(path: &Path) -> Result<MayHold, String> {
    let file = TableFile::open(path).map_err(|error| error.to_string())?;
    let opened = match Table::open(&file) {
        Ok(table) => leveldb(&table),
        Err(Error::RocksDb(_)) => rocksdb(&file),
        Err(error) => Err(error),
    };
    let none = || "table must have filters of a known policy, over whole keys, got none".to_owned();
    opened.map_err(|error| error.to_string())?.ok_or_else(none)
}

type Opened = Result<Option<MayHold>, Error<std::io::Error>>;

/// The bytes of sequence number and kind after each user's key in a database. Other tables have nothing there.
const TAG_LEN: usize = 8;

fn leveldb(table: &Table<&TableFile>) -> Opened {
    let policy = |name: &[u8]| -> Option<AnyPolicy> { policies::reader(str::from_utf8(name).ok()?).ok() };
    let (Some(policy), Some(index)) = (table.policy_names().find_map(policy), table.footer().index) else {
        return Ok(None);
    };
    let Some(block) = table.filter_block(policy.name())? else {
        return Ok(None);
    };
    let format = policies::format_of(policy.name().as_bytes());
    // The name does not tell whether a compiler with signed characters hashed the last bytes of keys.
    let signed = (policy.name() == "BloomFilter2").then(|| policies::reader("BloomFilter2.SignedTail").ok());
    let policies = [Some(policy), signed.flatten()].into_iter().flatten();
    let filters: Vec<_> = policies
        .map(|policy| FilterBlockReader::new(policy, block.clone()))
        .collect();
    let index = table.block(BlockRole::Index, index)?;
    let (mut entries, mut blocks) = (index.entries()?, Vec::new());
    for handle in table.data_blocks()? {
        let last_key = entries.next_entry()?.map_or(&[][..], |entry| entry.key);
        blocks.push((last_key.to_vec(), handle));
    }
    let order = Order::of(table, &blocks);
    let reader = FilterBlockReader::new((), block);
    let mut all: Vec<u64> = blocks.iter().map(|(_, handle)| handle.offset).collect();
    all.dedup_by_key(|offset| *offset >> reader.base_lg().min(63));
    let read = all.iter().filter_map(|&offset| reader.filter_of(offset));
    let rates = read.filter_map(|filter| Some(FilterView::new(format?, filter).expected_rate()));
    let in_all = (!order.is_shown() && all.len() > 1).then(|| AllFilters::new(all.len(), rates));
    let answer = move |key: &[u8]| {
        let may_match = |offset| filters.iter().any(|filters| filters.may_match(offset, key));
        [TAG_LEN, 0]
            .into_iter()
            .any(|tag_len| match order.choice(tag_len, key) {
                Choice::Nothing => false,
                Choice::One => {
                    let block = blocks.get(place(&blocks, tag_len, key));
                    block.is_some_and(|(_, handle)| may_match(handle.offset))
                }
                Choice::All => all.iter().any(|&offset| may_match(offset)),
            })
    };
    Ok(Some(MayHold {
        answer: Box::new(answer),
        all: in_all,
    }))
}

/// Returns the place of the first block whose last key is not below the key, if keys are ordered by their bytes.
fn place(blocks: &[(Vec<u8>, BlockHandle)], tag_len: usize, key: &[u8]) -> usize {
    blocks.partition_point(|(last, _)| without_tag(last, tag_len) < key)
}

fn without_tag(key: &[u8], tag_len: usize) -> &[u8] {
    &key[..key.len().saturating_sub(tag_len)]
}

/// Returns true if a key may end in the sequence number and kind of a database: the first byte is the kind, of which LevelDB
/// has two and its forks a few more.
fn may_have_tag(key: &[u8]) -> bool {
    key.last_chunk::<TAG_LEN>().is_some_and(|[kind, ..]| *kind < 16)
}

/// What the data of a table of LevelDB shows of the order of its keys, which the database's comparator decides and nothing
/// names.
struct Order {
    /// Set if all stored keys may have tags. Otherwise none has.
    have_tags: bool,
    /// Set if each stored key, without a tag and with it, is in the block where it belongs in the order of bytes.
    is_bytewise: [bool; 2],
}

/// The filters that answer for a key.
enum Choice {
    Nothing,
    /// The filter of the block that the key belongs to in the order of bytes.
    One,
    All,
}

impl Order {
    /// Reads the keys of all blocks, each with the last key that the index states. Blocks that cannot be read show nothing.
    fn of(table: &Table<&TableFile>, blocks: &[(Vec<u8>, BlockHandle)]) -> Self {
        let mut order = Self {
            have_tags: true,
            is_bytewise: [TAG_LEN, 0].map(|tag_len| {
                let last = |(key, _): &(Vec<u8>, _)| without_tag(key, tag_len).to_vec();
                blocks.len() > 1 && blocks.is_sorted_by_key(last)
            }),
        };
        let mut previous = Vec::new();
        for (at, (_, handle)) in blocks.iter().enumerate() {
            let read = table.block(BlockRole::Data, *handle);
            let complete = read.ok().and_then(|block| {
                let mut entries = block.entries().ok()?;
                while let Some(Entry { key, .. }) = entries.next_entry().ok()? {
                    order.have_tags &= may_have_tag(key);
                    for (is_bytewise, tag_len) in order.is_bytewise.iter_mut().zip([TAG_LEN, 0]) {
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
                order.is_bytewise = [false; 2];
                break;
            }
        }
        order
    }

    /// Returns true if one filter answers for an ordinary key.
    fn is_shown(&self) -> bool {
        self.is_bytewise[usize::from(!self.have_tags)]
    }

    fn choice(&self, tag_len: usize, key: &[u8]) -> Choice {
        let [with_tags, without] = self.is_bytewise;
        if tag_len > 0 {
            match (self.have_tags, with_tags) {
                (false, _) => Choice::Nothing,
                (_, true) => Choice::One,
                (_, false) => Choice::All,
            }
        } else if without {
            Choice::One
        } else if self.have_tags && with_tags && !may_have_tag(key) {
            // Every stored key ends like one with a tag, and this one does not.
            Choice::Nothing
        } else {
            Choice::All
        }
    }
}

fn rocksdb(file: &TableFile) -> Opened {
    let table = RocksDbTable::open(file)?;
    let filters = table.filters()?;
    let handles: Vec<BlockHandle> = match filters.handles() {
        FilterHandles::Full(handle) => vec![*handle],
        FilterHandles::Partitioned(partitions) => partitions.iter().map(|part| part.handle).collect(),
        _ => return Ok(None),
    };
    if !table.properties().has_whole_keys() {
        return Ok(None);
    }
    let read = |handle: BlockHandle| Ok((handle.offset, table.filter(handle)?));
    let read: BTreeMap<_, _> = handles.into_iter().map(read).collect::<Result<_, Error<_>>>()?;
    let policy = FastLocalBloomPolicy::new(10.into());
    let format = Format::FAST_LOCAL_BLOOM;
    let rates = read
        .values()
        .map(|filter| FilterView::new(format, filter).expected_rate());
    let all = (!filters.has_one_for_each_key()).then(|| AllFilters::new(read.len(), rates));
    let answer = move |key: &[u8]| {
        let query = |handle: BlockHandle| -> Result<bool, Infallible> {
            let filter = read.get(&handle.offset);
            Ok(filter.is_none_or(|filter| policy.key_may_match(key, filter)))
        };
        let Ok(may_match) = filters.may_match(key, query);
        may_match
    };
    let answer = Box::new(answer);
    Ok(Some(MayHold { answer, all }))
}
