//! The fuzz target of the reader with this name.
#![no_main]

use filter_tables::testing::readers::tables;

libfuzzer_sys::fuzz_target!(|data: &[u8]| tables::read(data));
