//! Reads tables of LevelDB and RocksDB in memory, with every block that they refer to. The fuzz target `tables` and the
//! replay of its inputs include this file.

use filter_tables::{
    BlockHandle, BlockRole, DatabaseManifest, Error, FOOTER_LEN, FilterHandles, Footer, MetaindexEntry,
    ROCKSDB_FOOTER_LEN, RocksDbFooter, RocksDbTable, Table, block_checksum,
};

/// The largest number of blocks read: a table of a few bytes may name its only block a million times.
const BLOCKS: usize = 20;

/// Reads the file as it is, and with the checksums of a writer that was wrong. Reads it as a manifest, too, and as an edit
/// in one.
pub(crate) fn read(file: &[u8]) {
    walk(file);
    for manifest in [file, &record(file)] {
        if let Ok(manifest) = DatabaseManifest::parse(manifest) {
            // A table takes at least six bytes.
            assert!(manifest.tables().len() <= file.len() / 6);
        }
    }
    let mut repaired = file.to_vec();
    repair(&mut repaired);
    walk(&repaired);
}

/// Returns the manifest of this edit, which is none if the edit does not fit into a block.
fn record(edit: &[u8]) -> Vec<u8> {
    const WHOLE: u8 = 1;
    let len = u16::try_from(edit.len()).unwrap_or_default().to_le_bytes();
    let summed = [&[WHOLE], edit].concat();
    let (last, before) = summed.split_last().unwrap();
    let checksum = block_checksum(before, *last).to_le_bytes();
    [&checksum, &len[..], &summed].concat()
}

fn walk(file: &[u8]) {
    let results = [
        leveldb(file).map_err(|error| error.to_string()),
        rocksdb(file).map_err(|error| error.to_string()),
    ];
    for message in results.into_iter().filter_map(Result::err) {
        assert!(!message.is_empty());
    }
}

fn leveldb(file: &[u8]) -> Result<(), Error<impl core::error::Error + use<>>> {
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

fn rocksdb(file: &[u8]) -> Result<(), Error<impl core::error::Error + use<>>> {
    let table = RocksDbTable::open(file)?;
    let filters = table.filters()?;
    let handles: Vec<BlockHandle> = match filters.handles() {
        FilterHandles::Partitioned(partitions) => partitions.iter().map(|part| part.handle).collect(),
        FilterHandles::Full(handle) | FilterHandles::BlockBased(handle) => vec![*handle],
        _ => vec![],
    };
    let mut queried = 0;
    let _denied = filters.may_match(b"key", |_, _| {
        queried += 1;
        Ok::<_, ()>(false)
    });
    assert!(queried <= handles.len());
    for handle in handles.into_iter().take(BLOCKS) {
        let _filter = table.filter(handle)?;
    }
    for handle in table.data_blocks()?.into_iter().take(BLOCKS) {
        let _block = table.block(BlockRole::Data, handle)?;
    }
    Ok(())
}

/// Corrects the checksums of the metaindex, the index and the blocks that the metaindex refers to.
fn repair(file: &mut [u8]) {
    let footer = file.last_chunk::<FOOTER_LEN>().map(Footer::decode);
    let of_leveldb = footer.map(|footer| [footer.metaindex, footer.index]);
    let offset = file.len().saturating_sub(ROCKSDB_FOOTER_LEN) as u64;
    let footer = file
        .last_chunk()
        .map(|bytes| RocksDbFooter::decode(bytes, offset));
    let of_rocksdb = footer
        .and_then(Result::ok)
        .map(|footer| [footer.metaindex, footer.index]);
    for handle in [of_leveldb, of_rocksdb].into_iter().flatten().flatten().flatten() {
        repair_block(file, handle);
    }
    let named = match (Table::open(&*file), RocksDbTable::open(&*file)) {
        (Ok(table), _) => handles(table.metaindex()),
        (_, Ok(table)) => handles(table.metaindex()),
        _ => vec![],
    };
    for handle in named {
        repair_block(file, handle);
    }
}

fn handles(metaindex: &[MetaindexEntry]) -> Vec<BlockHandle> {
    metaindex.iter().filter_map(MetaindexEntry::handle).collect()
}

fn repair_block(file: &mut [u8], handle: BlockHandle) -> Option<()> {
    let start = usize::try_from(handle.offset).ok()?;
    let end = start.checked_add(usize::try_from(handle.size).ok()?)?;
    let compression = *file.get(end)?;
    let checksum = block_checksum(file.get(start..end)?, compression);
    let stored = file.get_mut(end + 1..)?.first_chunk_mut()?;
    *stored = checksum.to_le_bytes();
    Some(())
}
