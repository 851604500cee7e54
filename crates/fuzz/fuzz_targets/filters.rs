//! The fuzz target of the reader with this name.
#![no_main]

use filter_tables::testing::readers::filters;

libfuzzer_sys::fuzz_target!(|data: &[u8]| filters::read(data));
