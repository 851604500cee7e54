//! Reads tables that RocksDB wrote.
//!
//! There is no test of the reverse: since release 7.0 external policies may only choose among RocksDB's own builders,
//! so RocksDB writes no filters of ours.

use std::collections::BTreeMap;

use engine_tests::rocksdb::{Policy, slices};
use filter_policy::policies::AnyPolicy;
use filter_policy::rocksdb::NAME_IN_TABLES;
use filter_policy::{BitsPerKey, FilterPolicy as _, formats};
use filter_tables::{BlockRole, FilterHandles, RocksDbTable};

use crate::source::Source;

/// Returns the user keys of all data blocks.
fn stored_keys(table: &RocksDbTable<&[u8]>) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    for handle in table.data_blocks().unwrap() {
        let block = table.block(BlockRole::Data, handle).unwrap();
        let mut entries = block.entries().unwrap();
        while let Some(entry) = entries.next_entry().unwrap() {
            keys.push(entry.key.split_last_chunk::<8>().unwrap().0.to_vec());
        }
    }
    keys
}

/// Writes a table, finds every key in its data and filters, and compares each filter with ours of the same keys.
/// Returns the number of filters.
fn check(theirs: &Policy, ours: &AnyPolicy, keys: &[Vec<u8>], partition_bytes: u64) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.sst");
    let written = theirs.write_table(path.to_str().unwrap(), &slices(keys), partition_bytes);
    written.unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let table = RocksDbTable::open(bytes.as_slice()).unwrap();
    assert_eq!(table.filters_name(), Some(NAME_IN_TABLES));
    assert_eq!(stored_keys(&table), keys);

    let filters = table.filters().unwrap();
    let is_partitioned = matches!(filters.handles(), FilterHandles::Partitioned(_));
    assert_eq!(is_partitioned, partition_bytes > 0);
    let mut keys_of: BTreeMap<u64, (_, Vec<&[u8]>)> = BTreeMap::new();
    for key in keys {
        let answered = filters.may_match(key, |_, handle| {
            let (_, keys) = keys_of.entry(handle.offset).or_insert((handle, Vec::new()));
            keys.push(key);
            Ok::<_, ()>(true)
        });
        assert_eq!(answered, Ok(true));
    }
    for (handle, keys) in keys_of.values() {
        let filter = table.filter(*handle).unwrap();
        let mut expected = Vec::new();
        ours.append_filter(keys, &mut expected).unwrap();
        assert!(filter[..] == expected, "{}, {} keys", ours.name(), keys.len());
    }
    keys_of.len()
}

#[test]
fn every_key_of_every_kind_of_table_is_found() {
    let mut source = Source::new(4);
    for round in 0..12 {
        let bits = 5.0 + source.below(150) as f64 / 10.0;
        let count = if round == 0 { 1 } else { 1 + source.below(4000) };
        let mut keys = source.keys(count);
        keys.sort();
        keys.dedup();
        for (theirs, format) in [
            (Policy::bloom(bits, 5), formats::FAST_LOCAL_BLOOM),
            (Policy::bloom(bits, 4), formats::LEGACY_BLOOM),
            (Policy::ribbon(bits), formats::RIBBON),
        ] {
            let ours = format.policy(BitsPerKey::fractional(bits).unwrap());
            assert_eq!(check(&theirs, &ours, &keys, 0), 1);
            let partitions = check(&theirs, &ours, &keys, 256);
            assert!(
                keys.len() < 1000 || partitions > 1,
                "{} keys in one filter",
                keys.len()
            );
        }
    }
}
