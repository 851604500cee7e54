//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
// What does not depend on the processor is not built for an emulator.
#![cfg_attr(emulated, allow(dead_code, unused_imports))]

mod batches;
mod filter_block;
#[cfg(not(emulated))]
mod leveldb;
mod prefix;
mod support;
