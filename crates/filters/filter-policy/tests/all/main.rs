//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
// What does not depend on the processor is not built for an emulator.
#![cfg_attr(emulated, allow(dead_code, unused_imports))]

mod any_bytes;
#[cfg(not(emulated))]
mod broken;
#[cfg(not(emulated))]
mod budget;
#[cfg(not(emulated))]
mod contract;
mod filter_block;
#[cfg(not(emulated))]
mod fuse;
mod golden_filters;
mod golden_parquet;
mod leveldb;
mod policies;
mod prefix;
mod range_records;
mod ranges;
#[cfg(not(emulated))]
mod rates;
#[cfg(all(feature = "serde", not(emulated)))]
mod serde;
mod support;
#[cfg(not(emulated))]
mod unsafe_code;
#[cfg(not(emulated))]
mod view;
