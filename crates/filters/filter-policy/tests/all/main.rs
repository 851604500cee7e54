//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod batches;
mod filter_block;
mod golden;
mod leveldb;
mod prefix;
mod support;
