//! Damaged files: mutations of files that engines wrote, given to every reader of foreign bytes.
//!
//! Each target runs cases for about a second. `FILTER_POLICY_FUZZ_CASES` sets the number of cases and
//! `FILTER_POLICY_FUZZ_FIRST` the number of the first one; `cargo xtask fuzz` sets both. A case depends only on its
//! number, which is printed if the case fails.

use filter_formats::rocksdb::FastLocalBloomPolicy;
use filter_policy::filter_block::FilterBlockReader;
use filter_policy::hashers::{KeyHasher, LevelDbHash};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
use filter_tables::{
    BlockHandle, BlockRole, FOOTER_LEN, Footer, MAX_METAINDEX_BYTES, ROCKSDB_FOOTER_LEN, RocksDbFilters,
    RocksDbFooter, RocksDbTable, Table, TableError, block_checksum,
};
use rand_xoshiro::rand_core::Rng;

use super::support::any_bytes::Readers;
use super::support::data;
use super::support::mutation::{Source, fuzz};
use super::support::reading::check_reading;
use super::support::rows::{rows, unhex};

/// A filter in one of the files of golden filters.
#[derive(serde::Deserialize)]
struct Golden {
    filter_hex: Option<String>,
}

const TABLES: [&str; 8] = [
    "article/article_highbit_bpk10.ldb",
    "leveldb/ldb/db_bpk10_nosnappy_bs4096_bigvalues.ldb",
    "leveldb/ldb/db_bpk10_snappy_bs4096.ldb",
    "leveldb/ldb/db_bpk10_tombstones_bs4096.ldb",
    "leveldb/ldb/db_nofilter_bs4096.ldb",
    "leveldb/ldb/tablebuilder_empty_bpk10.ldb",
    "leveldb/ldb/tablebuilder_one_bpk10.ldb",
    "rocksdb/sst/fv0_legacy_bloom10.sst",
];

fn tables() -> Vec<Vec<u8>> {
    TABLES.map(data::bytes).to_vec()
}

/// Returns the filter blocks of the corpus's tables.
fn filter_blocks() -> Vec<Vec<u8>> {
    let block = |file: Vec<u8>| {
        let table = Table::open(file).ok()?;
        let name = String::from_utf8(table.policy_names().next()?.to_vec()).unwrap();
        table.filter_block(&name).unwrap()
    };
    let blocks: Vec<_> = tables().into_iter().filter_map(block).collect();
    assert_eq!(blocks.len(), 6);
    blocks
}

/// Every policy reads each filter, whichever policy wrote it.
#[test]
fn filters() {
    let golden = [
        "rocksdb/filters.jsonl",
        "rocksdb/odd_filters.jsonl",
        "bloom64/filters.jsonl",
    ];
    let filters = golden.iter().flat_map(|file| rows::<Golden>(file));
    let mut corpus: Vec<Vec<u8>> = filters
        .filter_map(|row| row.filter_hex)
        .map(|hex| unhex(&hex))
        .collect();
    assert!(corpus.len() > 300);
    corpus.extend([vec![], vec![0], vec![0xff, 31]]);
    for block in filter_blocks() {
        let reader = FilterBlockReader::new(&block);
        corpus.extend(reader.filters().map(|filter| filter.bytes.unwrap().to_vec()));
    }
    let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10));
    let readers = Readers::all();
    fuzz(&corpus, 300_000, |source, filter| {
        let key = source.0.next_u64().to_le_bytes();
        let key = &key[..source.below(9)];
        readers.check(&filter, key);
        let by_hash = policy.prepare(&filter).may_match_hash(LevelDbHash.hash(key));
        assert_eq!(policy.key_may_match(key, &filter), by_hash);
    });
}

#[test]
fn blocks_of_filters() {
    fuzz(&filter_blocks(), 30_000, |source, block| {
        let block_offset = source.interesting(block.len());
        check_reading(&block, block_offset);
        check_reading(&block, block_offset % 131_072);
        for damage in FilterBlockReader::new(&block).damage().take(3) {
            assert!(!damage.to_string().is_empty());
        }
    });
}

/// Half of the files get correct checksums, as if a writer had been wrong, so that the readers behind the checksums see
/// damage as well.
#[test]
fn whole_tables() {
    fuzz(&tables(), 30_000, |source, mut file| {
        if source.below(2) == 0 {
            repair(&mut file);
        }
        if let Err(error) = walk(&file, source) {
            assert!(!error.to_string().is_empty());
        }
    });
}

/// Reads everything up to the first error.
fn walk(file: &[u8], source: &mut Source) -> Result<(), TableError<impl std::error::Error + use<>>> {
    let table = Table::open(file)?;
    let size: usize = table
        .metaindex()
        .iter()
        .map(|entry| entry.key().len() + entry.value().len())
        .sum();
    assert!(size as u64 <= MAX_METAINDEX_BYTES);
    for name in table.policy_names() {
        let Ok(name) = str::from_utf8(name) else {
            continue;
        };
        let block = table.filter_block(name)?.unwrap();
        check_size(&block, file);
        check_reading(&block, source.interesting(file.len()));
    }
    for handle in table.data_blocks()? {
        let block = table.block(BlockRole::Data, handle)?;
        check_size(block.contents(), file);
        let mut entries = block.entries()?;
        while let Some(entry) = entries.next_entry()? {
            assert!(entry.key.len() + entry.value.len() <= block.contents().len());
        }
    }
    Ok(())
}

const TABLES_OF_ROCKSDB: [&str; 6] = [
    "rocksdb/sst/fv0_legacy_bloom10.sst",
    "rocksdb/sst/fv4_legacy_bloom10_highbit.sst",
    "rocksdb/sst/fv5_bloom10_partitioned.sst",
    "rocksdb/sst/fv5_bloom10_xxh3.sst",
    "rocksdb/sst/fv5_nofilter.sst",
    "rocksdb/sst/fv5_ribbon10_crc32c.sst",
];

/// Like [`whole_tables`].
#[test]
fn whole_tables_of_rocksdb() {
    let corpus = TABLES_OF_ROCKSDB.map(data::bytes).to_vec();
    fuzz(&corpus, 10_000, |source, mut file| {
        if source.below(2) == 0 {
            repair_rocksdbs(&mut file);
        }
        if let Err(error) = walk_rocksdbs(&file) {
            assert!(!error.to_string().is_empty());
        }
    });
}

/// Reads everything up to the first error.
fn walk_rocksdbs(file: &[u8]) -> Result<(), TableError<impl std::error::Error + use<>>> {
    let policy = FastLocalBloomPolicy::new(BitsPerKey::whole(10));
    let table = RocksDbTable::open(file)?;
    let filters = table.filters()?;
    let handles = match &filters {
        RocksDbFilters::Partitioned(partitions) => partitions.iter().map(|part| part.handle).collect(),
        RocksDbFilters::Full(handle) | RocksDbFilters::BlockBased(handle) => vec![*handle],
        _ => vec![],
    };
    // A thousand partitions of a mutated table may all be one block.
    for handle in handles.into_iter().take(20) {
        let filter = table.filter(handle)?;
        check_size(&filter, file);
        let _ = policy.key_may_match(b"key00000007", &filter);
    }
    for key in [&b""[..], b"key00000007", b"z"] {
        assert!(filters.filter_of(key).is_some() || !matches!(&filters, RocksDbFilters::Full(_)));
    }
    for handle in table.data_blocks()?.into_iter().take(100) {
        let block = table.block(BlockRole::Data, handle)?;
        check_size(block.contents(), file);
        let mut entries = block.entries()?;
        while let Some(entry) = entries.next_entry()? {
            assert!(entry.key.len() + entry.value.len() <= block.contents().len());
        }
    }
    Ok(())
}

/// Corrects the CRC-32C checksums of the blocks that the footer and the metaindex point at.
fn repair_rocksdbs(file: &mut [u8]) {
    let offset = file.len().saturating_sub(ROCKSDB_FOOTER_LEN) as u64;
    let Some(Ok(footer)) = file
        .last_chunk::<ROCKSDB_FOOTER_LEN>()
        .map(|bytes| RocksDbFooter::decode(bytes, offset))
    else {
        return;
    };
    for handle in [footer.metaindex, footer.index].into_iter().flatten() {
        repair_block(file, handle);
    }
    let handles: Vec<_> = match RocksDbTable::open(&*file) {
        Ok(table) => table
            .metaindex()
            .iter()
            .filter_map(|entry| entry.handle())
            .collect(),
        Err(_) => return,
    };
    for handle in handles {
        repair_block(file, handle);
    }
}

/// Checks that a block is no larger than Snappy can make of the file.
fn check_size(block: &[u8], file: &[u8]) {
    assert!(block.len() <= 22 * file.len());
}

/// Corrects the checksums of the metaindex, the index and the filter blocks that can be found.
fn repair(file: &mut [u8]) {
    let Some(footer) = file.last_chunk::<FOOTER_LEN>().map(Footer::decode) else {
        return;
    };
    for handle in [footer.metaindex, footer.index].into_iter().flatten() {
        repair_block(file, handle);
    }
    let handles: Vec<_> = match Table::open(&*file) {
        Ok(table) => table
            .metaindex()
            .iter()
            .filter_map(|entry| entry.handle())
            .collect(),
        Err(_) => return,
    };
    for handle in handles {
        repair_block(file, handle);
    }
}

fn repair_block(file: &mut [u8], handle: BlockHandle) -> Option<()> {
    let start = usize::try_from(handle.offset).ok()?;
    let end = start.checked_add(usize::try_from(handle.size).ok()?)?;
    let compression = *file.get(end)?;
    let checksum = block_checksum(file.get(start..end)?, compression);
    file.get_mut(end + 1..)?
        .first_chunk_mut::<4>()?
        .copy_from_slice(&checksum.to_le_bytes());
    Some(())
}
