//! The footer of a Parquet file, and the filters that it places before itself and in itself.
#![no_main]

#[path = "../../filters/filter-parquet/tests/all/reader.rs"]
mod reader;

libfuzzer_sys::fuzz_target!(|data: &[u8]| reader::read(data));
