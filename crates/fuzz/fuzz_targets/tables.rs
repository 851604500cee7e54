//! Tables of LevelDB and RocksDB, and manifests of LevelDB.
#![no_main]

#[path = "../../filters/filter-tables/tests/all/reader.rs"]
mod reader;

libfuzzer_sys::fuzz_target!(|data: &[u8]| reader::read(data));
