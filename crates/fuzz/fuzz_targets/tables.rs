//! The fuzz target of the reader with this name.
#![no_main]

#[path = "../readers/tables.rs"]
mod tables;

libfuzzer_sys::fuzz_target!(|data: &[u8]| tables::read(data));
