//! The fuzz target of the reader with this name.
#![no_main]

use filter_tables::testing::readers::parquet_headers;

libfuzzer_sys::fuzz_target!(|data: &[u8]| parquet_headers::read(data));
