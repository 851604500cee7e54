// Points the README's file links at modules in the documentation: the first definition of a link counts.
//! [FORMAT.md]: format
//! [OWN_POLICY.md]: own_policy
//! [THEORY.md]: theory
//! [WHICH.md]: which
//!
#![cfg_attr(feature = "alloc", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "alloc"),
    doc = "Bloom filter policies for storage engines, without an allocator. `README.md` introduces them."
)]
#![no_std]
#![forbid(unsafe_code)]
#![warn(
    clippy::alloc_instead_of_core,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core
)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

pub mod answers;
mod batches;
mod bits_per_key;
mod bloom64;
#[cfg(feature = "alloc")]
mod builder;
#[cfg(feature = "alloc")]
pub mod contract;
mod error;
pub mod filter_block;
pub mod format;
mod hashed;
pub mod hashers;
mod key_hash;
mod keys;
mod layouts;
pub mod leveldb;
pub mod own_policy;
pub mod parquet;
#[cfg(feature = "alloc")]
pub mod policies;
mod policy;
#[cfg(feature = "alloc")]
pub mod prefix;
pub mod rocksdb;
pub mod sizing;
pub mod table;
pub mod theory;
pub mod view;
pub mod which;

/// SIMD kernels, selected at run time. Output is identical to the portable code.
pub mod kernels {
    pub use filter_kernels::{Kernel, KernelToken, Keys};
}

pub use bits_per_key::BitsPerKey;
pub use bloom64::BloomFilter64Policy;
#[cfg(feature = "alloc")]
pub use builder::FilterBuilder;
pub use error::Error;
pub use hashed::HashedPolicy;
pub use key_hash::{HashValue, KeyHash, KeyHashes};
pub use keys::{KeyBatch, PackedKeys};
pub use leveldb::BloomFilterPolicy;
pub use policy::{
    AsPolicy, FilterPolicy, HashedKey, MATCHES_EVERYTHING, OwnedFilter, PreparedFilter, prepared,
};
