#![cfg_attr(feature = "leveldb", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "leveldb"),
    doc = "Bloom filter policies as callbacks of LevelDB's `leveldb_filterpolicy_create`: functions for C in [`ffi`], \
           [`Callbacks`] for Rust. `README.md` introduces them; the feature `leveldb` adds what links LevelDB itself."
)]
#![warn(clippy::cast_possible_truncation, clippy::indexing_slicing)]

mod error;
pub mod ffi;
mod policy;

pub use error::Error;
pub use ffi::Callbacks;
#[cfg(feature = "leveldb")]
pub use ffi::{Database, DatabaseOptions, LevelDbPolicy};
pub use policy::{
    MAX_BITS_PER_KEY, POLICY_BINARY_FUSE, POLICY_BLOOM_FILTER2, POLICY_BLOOM_FILTER2_COPRIME, POLICY_BLOOM64,
    POLICY_FAST_LOCAL_BLOOM, POLICY_LEVELDB, POLICY_LEVELDB_COPRIME, POLICY_RIBBON, POLICY_SPLIT_BLOCK_XXPH3,
};
