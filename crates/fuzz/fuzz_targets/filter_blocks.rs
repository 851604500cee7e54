//! The fuzz target of the reader with this name.
#![no_main]

use filter_tables::testing::readers::filter_blocks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| filter_blocks::read(data));
