// Points the README's file links at modules in the documentation: the first definition of a link counts.
//! [FORMAT.md]: format
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

mod batches;
mod bloom;
mod bloom64;
mod error;
pub mod filter_block;
pub mod format;
mod hash_value;
mod hashed;
pub mod hashers;
mod keys;
mod layouts;
mod params;
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
    pub use filter_kernels::Kernel;
}

pub use bloom::BloomFilterPolicy;
pub use bloom64::BloomFilter64Policy;
pub use error::Error;
pub use hash_value::HashValue;
pub use hashed::{HashedKey, HashedPolicy};
pub use keys::{KeyBatch, PackedKeys};
pub use layouts::MATCHES_EVERYTHING;
pub use params::BitsPerKey;
pub use policy::{FilterPolicy, PreparedFilter};
