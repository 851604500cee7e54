//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod budget;
mod contract;
mod fuse;
mod golden_bloom64;
mod golden_fuse;
mod golden_parquet;
mod golden_policy;
mod golden_rocksdb;
mod kernels;
mod places;
mod policies;
mod properties;
mod rates;
mod second_reader;
mod support;
mod view;
