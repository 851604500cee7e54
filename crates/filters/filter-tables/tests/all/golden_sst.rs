//! Tables that RocksDB wrote: reads them completely and queries every stored key. (That such filters are written byte
//! for byte is a matter of `filter-policy`.)

use std::collections::BTreeMap;

use crate::support::golden::{self, key, rows, unhex};
use filter_policy::rocksdb::FastLocalBloomPolicy;
use filter_policy::{BitsPerKey, FilterPolicy};
use filter_tables::{
    BlockHandle, BlockRole, ChecksumKind, Error, FilterHandles, RocksDbForm, RocksDbTable, Table,
};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A policy that reads every kind of filter.
const READER: FastLocalBloomPolicy = FastLocalBloomPolicy::new(BitsPerKey::whole(10));

#[derive(Deserialize)]
struct Row {
    file: String,
    size: u64,
    sha256: String,
    format_version: u32,
    checksum_type: String,
    metaindex: BTreeMap<String, (u64, u64)>,
    properties: BTreeMap<String, Value>,
    entries: u32,
    filter_key: Option<String>,
    filter_hex: Option<String>,
    #[serde(default)]
    partitions: Vec<Partition>,
}

#[derive(Deserialize)]
struct Partition {
    separator_hex: String,
    offset: u64,
    size: u64,
    filter_hex: String,
}

impl Row {
    fn property(&self, name: &str) -> &Value {
        &self.properties[&format!("rocksdb.{name}")]
    }

    fn rule(&self) -> &'static str {
        if self.file.contains("highbit") {
            "highbit6"
        } else {
            "key08"
        }
    }

    fn keys(&self) -> Vec<Vec<u8>> {
        let mut keys: Vec<_> = (0..self.entries).map(|i| key(self.rule(), i)).collect();
        keys.sort();
        keys
    }

    /// Returns the bytes that a reader queries to find a key.
    fn queried<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        if self.property("block.based.table.whole.key.filtering") == "1" {
            key
        } else {
            &key[..key.len().min(9)]
        }
    }
}

fn golden_rows() -> Vec<Row> {
    let rows: Vec<Row> = rows("rocksdb/sst_filters.jsonl");
    assert_eq!(rows.len(), 17);
    rows
}

fn bytes(row: &Row) -> Vec<u8> {
    let bytes = golden::bytes(&format!("rocksdb/sst/{}", row.file));
    assert_eq!(bytes.len() as u64, row.size, "{}", row.file);
    assert_eq!(Sha256::digest(&bytes)[..], unhex(&row.sha256), "{}", row.file);
    bytes
}

fn open(row: &Row) -> RocksDbTable<Vec<u8>> {
    let table = RocksDbTable::open(bytes(row)).unwrap();
    let kind = match row.checksum_type.as_str() {
        "crc32c" => ChecksumKind::Crc32c,
        "xxhash64" => ChecksumKind::XxHash64,
        "xxh3" => ChecksumKind::Xxh3,
        other => panic!("no checksum is called {other:?}"),
    };
    assert_eq!(table.footer().checksum, kind);
    table
}

#[test]
fn footers_and_properties() {
    for row in golden_rows() {
        let table = open(&row);
        assert_eq!(table.footer().format_version, row.format_version, "{}", row.file);
        assert_eq!(table.footer().base_checksum, 0);
        let metaindex: BTreeMap<String, (u64, u64)> = table
            .metaindex()
            .iter()
            .map(|entry| {
                let handle = entry.handle().unwrap();
                let key = String::from_utf8(entry.key().to_vec()).unwrap();
                (key, (handle.offset, handle.size))
            })
            .collect();
        assert_eq!(metaindex, row.metaindex, "{}", row.file);

        let properties = table.properties();
        for (name, expected) in &row.properties {
            let at = format!("{}, {name}", row.file);
            match expected {
                Value::String(text) => assert_eq!(properties.get(name), Some(text.as_bytes()), "{at}"),
                // The only property of four bytes.
                Value::Number(number) if name.ends_with("index.type") => {
                    let number = u32::try_from(number.as_u64().unwrap()).unwrap();
                    assert_eq!(properties.get(name), Some(&number.to_le_bytes()[..]), "{at}");
                }
                Value::Number(number) => assert_eq!(properties.number(name), number.as_u64(), "{at}"),
                other => panic!("{at}: {other:?}"),
            }
        }
        assert_eq!(
            properties.has_whole_keys(),
            row.property("block.based.table.whole.key.filtering") == "1"
        );
        let extractor = row.property("prefix.extractor.name").as_str().unwrap();
        let extractor = (extractor != "nullptr").then_some(extractor.as_bytes());
        assert_eq!(properties.prefix_extractor(), extractor, "{}", row.file);
    }
}

#[test]
fn filters_are_found() {
    let mut kinds = [0; 3];
    for row in golden_rows() {
        let table = open(&row);
        let filters = table.filters().unwrap();
        let name = row
            .filter_key
            .as_deref()
            .map(|key| key.split_once('.').unwrap().1);
        assert_eq!(table.filters_name(), name, "{}", row.file);
        match filters.handles() {
            FilterHandles::None => {
                assert_eq!(row.filter_hex, None, "{}", row.file);
                kinds[0] += 1;
            }
            FilterHandles::Full(handle) => {
                let filter = table.filter(*handle).unwrap();
                assert_eq!(filter, unhex(row.filter_hex.as_ref().unwrap()), "{}", row.file);
                kinds[1] += 1;
            }
            FilterHandles::Partitioned(partitions) => {
                assert_eq!(partitions.len(), row.partitions.len(), "{}", row.file);
                for (partition, golden) in partitions.iter().zip(&row.partitions) {
                    let handle = BlockHandle {
                        offset: golden.offset,
                        size: golden.size,
                    };
                    assert_eq!(partition.handle, handle, "{}", row.file);
                    assert_eq!(partition.separator, unhex(&golden.separator_hex), "{}", row.file);
                    let filter = table.filter(partition.handle).unwrap();
                    assert_eq!(filter, unhex(&golden.filter_hex), "{}", row.file);
                }
                kinds[2] += 1;
            }
            other => panic!("{}: {other:?}", row.file),
        }
    }
    assert_eq!(kinds, [1, 13, 3]);
}

#[test]
fn every_stored_key_matches() {
    for row in golden_rows() {
        let table = open(&row);
        let filters = table.filters().unwrap();
        let blocks = table.data_blocks().unwrap();
        assert_eq!(
            row.property("num.data.blocks"),
            &Value::from(blocks.len()),
            "{}",
            row.file
        );
        let mut keys = Vec::new();
        let mut read = BTreeMap::new();
        for handle in blocks {
            let block = table.block(BlockRole::Data, handle).unwrap();
            let mut entries = block.entries().unwrap();
            while let Some(entry) = entries.next_entry().unwrap() {
                // Sequence number and kind follow the user's key.
                let (key, _) = entry.key.split_last_chunk::<8>().unwrap();
                let query = |part: &[u8], handle: BlockHandle| {
                    assert_eq!(part, row.queried(key), "{}", row.file);
                    let filter = (read.entry(handle.offset)).or_insert_with(|| table.filter(handle).unwrap());
                    Ok::<_, ()>(READER.key_may_match(part, filter))
                };
                let may_match = filters.may_match(key, query).unwrap();
                assert!(may_match, "{}: {key:x?} is denied", row.file);
                keys.push(key.to_vec());
            }
        }
        assert_eq!(keys, row.keys(), "{}", row.file);
    }
}

#[test]
fn tables_of_others_are_refused() {
    let leveldb = golden::bytes("leveldb/ldb/db_bpk10_nosnappy_bs4096.ldb");
    let error = RocksDbTable::open(leveldb).unwrap_err();
    assert_eq!(error, Error::NotRocksDb);
    assert_eq!(error.to_string(), "table must be a block-based table of RocksDB");
    for row in golden_rows() {
        let (form, words) = match row.format_version {
            0 => (RocksDbForm::BlockBasedVersion0, "block-based, format version 0"),
            _ => (RocksDbForm::BlockBased, "block-based"),
        };
        let error = Table::open(bytes(&row)).unwrap_err();
        assert_eq!(error, Error::RocksDb(form), "{}", row.file);
        assert_eq!(
            error.to_string(),
            format!("table must be LevelDB's, got RocksDB's ({words})")
        );
    }
}
