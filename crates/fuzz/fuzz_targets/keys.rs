//! The fuzz target of the reader with this name.
#![no_main]

#[path = "../../comparison/hash-comparison/tests/all/corpus/keys.rs"]
mod reader;

libfuzzer_sys::fuzz_target!(|data: &[u8]| reader::read(data));
