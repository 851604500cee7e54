//! `inspect` on tables that RocksDB wrote, and on damaged copies.

use std::fs;

use crate::stored::golden;

use super::Workbench;

/// Tests tables of every format version and with every kind of filter.
#[test]
fn tables_of_rocksdb() {
    let bench = Workbench::new();
    let mut count = 0;
    for entry in fs::read_dir(golden::path("rocksdb/sst")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        bench.write(&format!("db/{name}"), fs::read(entry.path()).unwrap());
        count += 1;
    }
    assert_eq!(count, 17);
    insta::assert_snapshot!("inspect rocksdb", bench.done("inspect db"));
    let json = bench.done("inspect --json db/fv5_ribbon10_partitioned.sst");
    insta::assert_snapshot!("inspect rocksdb --json", json);
}

/// Returns a byte that is counted from the end.
fn end(file: &mut [u8], from: usize) -> &mut u8 {
    file.iter_mut().nth_back(from - 1).unwrap()
}

#[test]
fn damage_in_tables_of_rocksdb() {
    let bench = Workbench::new();
    let damaged = |name: &str, of: &str, change: fn(&mut Vec<u8>)| {
        let mut file = golden::bytes(&format!("rocksdb/sst/{of}.sst"));
        change(&mut file);
        bench.write(&format!("damaged/{name}.sst"), file);
    };
    // In the first table, the filter has 2565 bytes at 60,200; in the second, the partitions start at 90,313.
    damaged("bit", "fv5_bloom10_crc32c", |file| file[60_200] ^= 1);
    damaged("tail", "fv5_bloom10_crc32c", |file| file[60_200 + 2560] = 0xfd);
    damaged("partition", "fv5_bloom10_partitioned", |file| file[90_313] ^= 1);
    damaged("data", "fv5_bloom10_xxh3", |file| file[700] ^= 1);
    damaged("version", "fv5_bloom10_crc32c", |file| *end(file, 12) = 9);
    damaged("checksum", "fv5_bloom10_crc32c", |file| *end(file, 53) = 9);
    damaged("metaindex", "fv4_legacy_bloom10", |file| *end(file, 52) ^= 1);
    insta::assert_snapshot!("inspect rocksdb damage", bench.ended(1, "inspect damaged"));
}
