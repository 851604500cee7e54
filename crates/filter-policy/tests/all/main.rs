//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod batches;
mod contract;
mod filter_block;
mod fuzz;
mod golden_bloom64;
mod golden_parquet;
mod golden_policy;
mod golden_rocksdb;
mod golden_sst;
mod golden_tables;
mod kernels;
mod policies;
mod prefix;
mod properties;
mod rates;
mod single_keys;
mod sst;
mod support;
mod table;
mod table_limits;
mod view;
mod wide_kernels;
