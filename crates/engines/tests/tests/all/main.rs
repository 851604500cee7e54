//! Tests of the adapters, alone and in their engines. One program, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod adapters;
mod databases;
mod engines;
#[cfg(any(feature = "leveldb", feature = "rocksdb"))]
mod peers;
mod policies;
#[cfg(feature = "rocksdb")]
mod rocksdb_tables;
mod rusty_leveldb;
mod source;
