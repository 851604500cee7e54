//! The fuzz target of the reader with this name.
#![no_main]

#[path = "../../applications/bloom-redis/tests/server/replies/any.rs"]
mod reader;

libfuzzer_sys::fuzz_target!(|data: &[u8]| reader::read(data));
