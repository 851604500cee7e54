//! The fuzz target of the reader with this name.
#![no_main]

#[path = "../readers/filters.rs"]
mod filters;

libfuzzer_sys::fuzz_target!(|data: &[u8]| filters::read(data));
