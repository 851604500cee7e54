#![doc = include_str!("../README.md")]
#![warn(clippy::cast_possible_truncation, clippy::indexing_slicing)]

mod error;
pub mod ffi;

pub use error::Error;
pub use ffi::Callbacks;
pub use ffi::policy::{
    MAX_BITS_PER_KEY, POLICY_BINARY_FUSE, POLICY_BLOOM_FILTER2, POLICY_BLOOM_FILTER2_COPRIME, POLICY_BLOOM64,
    POLICY_FAST_LOCAL_BLOOM, POLICY_LEVELDB, POLICY_LEVELDB_COPRIME, POLICY_RIBBON, POLICY_SPLIT_BLOCK_XXPH3,
};
