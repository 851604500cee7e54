//! The fuzz target of the reader with this name.
#![no_main]

#[path = "../readers/filter_blocks.rs"]
mod filter_blocks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| filter_blocks::read(data));
