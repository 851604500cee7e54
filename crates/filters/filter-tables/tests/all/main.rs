//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
// What does not depend on the processor is not built for an emulator.
#![cfg_attr(emulated, allow(dead_code, unused_imports))]

mod golden_sst;
mod golden_tables;
#[cfg(not(emulated))]
mod manifest;
#[cfg(not(emulated))]
mod sst;
mod sst_file;
#[path = "../support/mod.rs"]
mod support;
#[cfg(not(emulated))]
mod table;
#[cfg(not(emulated))]
mod table_limits;
