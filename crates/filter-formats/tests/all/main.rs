//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod budget;
mod contract;
mod fuse;
mod golden;
mod golden_parquet;
mod kernels;
mod places;
mod policies;
mod rates;
mod second_reader;
mod support;
mod view;
