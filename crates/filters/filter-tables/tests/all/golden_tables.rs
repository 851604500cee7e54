//! Tables that LevelDB wrote: finding their filters, and their keys in the filters.
//!
//! Each filter covers the keys of the data blocks that start in one range of 2048 bytes; ranges without such a block
//! have an empty filter.

use crate::support::golden::{bytes, key, rows, unhex};
use filter_policy::filter_block::FilterBlockReader;
use filter_policy::{BashoFilterPolicy, BashoTablePolicy};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
use filter_tables::{BlockHandle, BlockRole, Error, RocksDbForm, Table};
use serde::Deserialize;
use serde_json::Value;

/// The start and the size of a data block in the file.
#[derive(Deserialize)]
#[serde(from = "Value")]
struct Block(BlockHandle);

/// The two data files write blocks differently.
impl From<Value> for Block {
    fn from(block: Value) -> Self {
        let number = |at: usize, name: &str| block.get(at).unwrap_or(&block[name]).as_u64().unwrap();
        let (offset, size) = (number(0, "offset"), number(1, "size"));
        Self(BlockHandle { offset, size })
    }
}

/// The contents of a table, recorded by an independent program.
#[derive(Deserialize)]
struct Expected {
    file: String,
    filter_name: Option<String>,
    /// Not recorded for the tables of `BloomFilter2`, like the next two handles.
    metaindex_handle: Option<(u64, u64)>,
    index_handle: Option<(u64, u64)>,
    filter_handle: Option<(u64, u64)>,
    #[serde(default)]
    offsets: Vec<usize>,
    #[serde(default)]
    array_offset: usize,
    data_blocks: Vec<Block>,
    #[serde(default)]
    filter_block_hex: String,
}

/// A table, its recorded contents, its keys in order, and the policy that reads it.
struct Golden {
    expected: Expected,
    table: Table<Vec<u8>>,
    keys: Vec<Vec<u8>>,
    policy: Box<dyn FilterPolicy>,
}

impl Golden {
    /// Returns the checked filter block, stored under the recorded name; `None` in a table without filters.
    fn filter_block(&self) -> Option<Vec<u8>> {
        let name = self.expected.filter_name.as_deref()?;
        let name = name.strip_prefix("filter.").unwrap();
        Some(self.table.filter_block(name).unwrap().unwrap())
    }
}

fn goldens() -> Vec<Golden> {
    let ten = BitsPerKey::whole(10);
    let article = rows("article/ldb_filters.jsonl")
        .into_iter()
        .map(|expected: Expected| {
            let rule = if expected.file.contains("highbit") {
                "highbit"
            } else {
                "key08"
            };
            let mut keys: Vec<Vec<u8>> = (0..1000).map(|i| key(rule, i)).collect();
            keys.sort();
            Golden {
                table: Table::open(bytes(&format!("article/{}", expected.file))).unwrap(),
                keys,
                // Stored under the plain name, written with signed tail bytes.
                policy: Box::new(BloomFilterPolicy::with_signed_tail(ten)),
                expected,
            }
        });
    let leveldb = rows("leveldb/ldb_filters.jsonl")
        .into_iter()
        .map(|expected: Expected| {
            let bits_per_key = if expected.file.contains("bpk14") { 14 } else { 10 };
            Golden {
                table: Table::open(bytes(&format!("leveldb/ldb/{}", expected.file))).unwrap(),
                keys: leveldb_keys(&expected.file),
                policy: Box::new(BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(
                    bits_per_key,
                ))),
                expected,
            }
        });
    article.chain(leveldb).collect()
}

/// Returns the keys of a LevelDB table in the order of its entries, which `tests/data/PROVENANCE.md` describes.
fn leveldb_keys(file: &str) -> Vec<Vec<u8>> {
    let key08 = |i| key("key08", i);
    let highbit = |i: u32| {
        let [low, high] = [i & 0x7f, i >> 7].map(|bits| u8::try_from(bits).unwrap());
        vec![0xe4, 0xb8, 0xad, 0x80 | low, 0xc0 | high]
    };
    match file {
        "tablebuilder_empty_bpk10.ldb" => Vec::new(),
        "tablebuilder_one_bpk10.ldb" => vec![b"only".to_vec()],
        "tablebuilder_highbit_bpk10_bs1024.ldb" => {
            let mut keys: Vec<_> = (0..600).map(highbit).collect();
            keys.sort();
            keys
        }
        "db_nofilter_bs4096.ldb" => (0..200).map(key08).collect(),
        "db_bpk10_nosnappy_bs4096_bigvalues.ldb" => (0..500).map(key08).collect(),
        // Every tenth key has a deletion and an insertion, two entries of one user key.
        "db_bpk10_tombstones_bs4096.ldb" => (0..1000)
            .flat_map(|i| vec![key08(i); if i % 10 == 0 { 2 } else { 1 }])
            .collect(),
        _ => (0..2000).map(key08).collect(),
    }
}

#[test]
fn the_way_to_the_filters_is_the_recorded_one() {
    let goldens = goldens();
    assert_eq!(goldens.len(), 15);
    for golden in &goldens {
        let expected = &golden.expected;
        let file = &expected.file;
        let footer = golden.table.footer();
        let pair = |handle: BlockHandle| (handle.offset, handle.size);
        if expected.metaindex_handle.is_some() {
            assert_eq!(footer.metaindex.map(pair), expected.metaindex_handle, "{file}");
            assert_eq!(footer.index.map(pair), expected.index_handle, "{file}");
        }
        let Some(name) = &expected.filter_name else {
            assert!(golden.table.metaindex().is_empty(), "{file}");
            assert_eq!(golden.table.filter_block("leveldb.BuiltinBloomFilter2"), Ok(None));
            continue;
        };
        let [entry] = golden.table.metaindex() else {
            panic!("{file} has other entries than that of its filters")
        };
        assert_eq!(entry.key(), name.as_bytes(), "{file}");
        if expected.filter_handle.is_some() {
            assert_eq!(entry.handle().map(pair), expected.filter_handle, "{file}");
        }
        let block = golden.filter_block().unwrap();
        assert_eq!(block, unhex(&expected.filter_block_hex), "{file}");

        let filters = FilterBlockReader::new((), &block);
        assert_eq!(filters.damage().collect::<Vec<_>>(), [], "{file}");
        assert_eq!(
            (filters.base_lg(), filters.filters().len()),
            (11, expected.offsets.len()),
            "{file}"
        );
        let ends = expected.offsets.iter().skip(1).chain([&expected.array_offset]);
        for ((filter, &start), &end) in filters.filters().zip(&expected.offsets).zip(ends) {
            assert_eq!(filter.bytes, Some(&block[start..end]), "{file}");
            let first = filter.index as u64 * 2048;
            assert_eq!(filter.block_offsets, first..first + 2048, "{file}");
        }
    }
}

#[test]
fn every_stored_key_is_known_to_its_filter() {
    for golden in goldens() {
        let file = &golden.expected.file;
        let block = golden.filter_block().unwrap_or_default();
        let reader = FilterBlockReader::new(&*golden.policy, &block);
        let handles = golden.table.data_blocks().unwrap();
        let expected = golden.expected.data_blocks.iter().map(|block| block.0);
        assert!(handles.iter().copied().eq(expected), "{file}");

        let mut keys = Vec::new();
        for handle in handles {
            let data = golden.table.block(BlockRole::Data, handle).unwrap();
            let mut entries = data.entries().unwrap();
            while let Some(entry) = entries.next_entry().unwrap() {
                // In a database, sequence number and kind follow the user's key.
                let internal = if file.starts_with("db_") { 8 } else { 0 };
                let key = &entry.key[..entry.key.len() - internal];
                assert!(reader.may_match(handle.offset, key), "{file}: {key:x?} is denied");
                keys.push(key.to_vec());
            }
        }
        assert_eq!(keys, golden.keys, "{file}");
    }
}

#[test]
fn other_tables_of_rocksdb_are_called_by_their_name() {
    for (magic, form) in [
        (0x8242_2296_63bf_9564, RocksDbForm::Plain),
        (0x4f34_18eb_7a8f_13b8, RocksDbForm::Plain),
        (0x9267_89d0_c5f1_7873_u64, RocksDbForm::Cuckoo),
    ] {
        let mut file = vec![0; 100];
        file.extend_from_slice(&magic.to_le_bytes());
        assert_eq!(Table::open(file).unwrap_err(), Error::RocksDb(form));
    }
}

/// Basho's LevelDB stores its filters under the name of LevelDB's: they are found under their own, have every key, and
/// are byte for byte those that the policy builds from the keys of their blocks.
#[test]
fn filters_of_basho_are_rebuilt_from_the_keys_of_their_blocks() {
    let file = bytes("reports/basho.sst");
    let table = Table::open(&file[..]).unwrap();
    assert!(table.policy_names().eq([BashoTablePolicy::NAME.as_bytes()]));
    assert_eq!(table.filter_block("leveldb.BuiltinBloomFilter2"), Ok(None));
    let block = table.filter_block(BashoTablePolicy::NAME).unwrap().unwrap();
    let policy = BashoFilterPolicy::new(BitsPerKey::whole(16));
    let reader = FilterBlockReader::new(BashoTablePolicy::new(16.into()), &block);

    // The keys of each filter, in their order.
    let mut filters: Vec<(&[u8], Vec<Vec<u8>>)> = Vec::new();
    for handle in table.data_blocks().unwrap() {
        let data = table.block(BlockRole::Data, handle).unwrap();
        let mut entries = data.entries().unwrap();
        let filter = reader.filter_of(handle.offset).unwrap();
        if filters
            .last()
            .is_none_or(|(last, _)| last.as_ptr() != filter.as_ptr())
        {
            filters.push((filter, Vec::new()));
        }
        while let Some(entry) = entries.next_entry().unwrap() {
            let key = entry.key.to_vec();
            assert!(reader.may_match(handle.offset, &key), "{key:x?} is denied");
            filters.last_mut().unwrap().1.push(key);
        }
    }
    for (filter, keys) in &filters {
        assert_eq!(policy.build(keys).unwrap(), *filter);
        let absent = (0..1000_u32).filter(|i| policy.key_may_match(&i.to_le_bytes(), filter));
        assert!(absent.count() < 10);
    }
    let mut found: Vec<Vec<u8>> = filters.into_iter().flat_map(|(_, keys)| keys).collect();
    found.sort();
    let mut expected: Vec<Vec<u8>> = (0..2000).map(|i| format!("key-{i}").into_bytes()).collect();
    expected.sort();
    assert!(found == expected);
}
