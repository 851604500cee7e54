//! Looks keys up in the filters of a table. Knows nothing of arguments.

use std::collections::BTreeMap;
use std::path::Path;

use filter_formats::policies::{self, AnyPolicy};
use filter_formats::rocksdb::FastLocalBloomPolicy;
use filter_policy::FilterPolicy as _;
use filter_policy::filter_block::FilterBlockReader;
use filter_tables::{BlockHandle, BlockRole, Error, RocksDbFilters, RocksDbTable, Table};

use super::file::TableFile;

/// Returns whether a table may hold a user's key. `false` is certain if the engine orders keys by their bytes, as it does by
/// default.
pub(crate) type MayHold = Box<dyn Fn(&[u8]) -> bool>;

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

fn leveldb(table: &Table<&TableFile>) -> Opened {
    let policy = |name: &[u8]| -> Option<AnyPolicy> { policies::reader(str::from_utf8(name).ok()?).ok() };
    let (Some(policy), Some(index)) = (table.policy_names().find_map(policy), table.footer().index) else {
        return Ok(None);
    };
    let Some(block) = table.filter_block(policy.name())? else {
        return Ok(None);
    };
    // The name does not tell whether a compiler with signed characters hashed the last bytes of keys.
    let signed = (policy.name() == "BloomFilter2").then(|| policies::reader("BloomFilter2.SignedTail").ok());
    let policies = [Some(policy), signed.flatten()].into_iter().flatten();
    let filters: Vec<_> = policies
        .map(|policy| FilterBlockReader::new(policy, block.clone()))
        .collect();
    let index = table.block(BlockRole::Index, index)?;
    let (mut entries, mut blocks) = (index.entries()?, Vec::new());
    for BlockHandle { offset, .. } in table.data_blocks()? {
        let last_key = entries.next_entry()?.map_or(&[][..], |entry| entry.key);
        blocks.push((last_key.to_vec(), offset));
    }
    // In a database, a sequence number of 8 bytes follows the user's key, in other tables nothing. Nothing tells which it is.
    Ok(Some(Box::new(move |key| {
        [8, 0].into_iter().any(|number| {
            let is_before = |last: &[u8]| last[..last.len().saturating_sub(number)] < *key;
            let block = blocks.get(blocks.partition_point(|(last, _)| is_before(last)));
            block.is_some_and(|&(_, offset)| filters.iter().any(|filters| filters.may_match(offset, key)))
        })
    })))
}

fn rocksdb(file: &TableFile) -> Opened {
    let table = RocksDbTable::open(file)?;
    let filters = table.filters()?;
    let handles: Vec<BlockHandle> = match &filters {
        RocksDbFilters::Full(handle) => vec![*handle],
        RocksDbFilters::Partitioned(partitions) => partitions.iter().map(|part| part.handle).collect(),
        _ => return Ok(None),
    };
    if !table.properties().has_whole_keys() {
        return Ok(None);
    }
    let read = |handle: BlockHandle| Ok((handle.offset, table.filter(handle)?));
    let read: BTreeMap<_, _> = handles.into_iter().map(read).collect::<Result<_, Error<_>>>()?;
    let policy = FastLocalBloomPolicy::new(10.into());
    Ok(Some(Box::new(move |key| {
        let filter = filters.filter_of(key).and_then(|handle| read.get(&handle.offset));
        filter.is_none_or(|filter| policy.key_may_match(key, filter))
    })))
}
