//! Tables of LevelDB and RocksDB in memory, with every block that they refer to.
#![no_main]

use filter_tables::{BlockHandle, BlockRole, RocksDbFilters, RocksDbTable, Table, TableError};
use libfuzzer_sys::fuzz_target;

/// The largest number of blocks read: a table of a few bytes may name its only block a million times.
const BLOCKS: usize = 20;

fuzz_target!(|file: &[u8]| {
    let results = [
        leveldb(file).map_err(|error| error.to_string()),
        rocksdb(file).map_err(|error| error.to_string()),
    ];
    for message in results.into_iter().filter_map(Result::err) {
        assert!(!message.is_empty());
    }
});

fn leveldb(file: &[u8]) -> Result<(), TableError<impl std::error::Error + use<>>> {
    let table = Table::open(file)?;
    for name in table
        .policy_names()
        .filter_map(|name| str::from_utf8(name).ok())
        .take(BLOCKS)
    {
        let _block = table.filter_block(name)?;
    }
    for handle in table.data_blocks()?.into_iter().take(BLOCKS) {
        let _walked = table
            .block(BlockRole::Data, handle)?
            .entries()
            .map(|mut entries| while let Ok(Some(_)) = entries.next_entry() {});
    }
    Ok(())
}

fn rocksdb(file: &[u8]) -> Result<(), TableError<impl std::error::Error + use<>>> {
    let table = RocksDbTable::open(file)?;
    let handles: Vec<BlockHandle> = match table.filters()? {
        RocksDbFilters::Partitioned(partitions) => partitions.iter().map(|part| part.handle).collect(),
        RocksDbFilters::Full(handle) | RocksDbFilters::BlockBased(handle) => vec![handle],
        _ => vec![],
    };
    for handle in handles.into_iter().take(BLOCKS) {
        let _filter = table.filter(handle)?;
    }
    for handle in table.data_blocks()?.into_iter().take(BLOCKS) {
        let _block = table.block(BlockRole::Data, handle)?;
    }
    Ok(())
}
