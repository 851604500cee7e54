//! The fuzz target of the reader with this name.
#![no_main]

#[path = "../../filters/filter-policy/tests/all/any_bytes/ranges.rs"]
mod reader;

libfuzzer_sys::fuzz_target!(|data: &[u8]| reader::read(data));
