// Points the README's file links at modules in the documentation: the first definition of a link counts.
//! [OWN_POLICY.md]: own_policy
//! [`Policy`]: Policy
//! [`PreparedFilter`]: PreparedFilter
//!
#![cfg_attr(feature = "alloc", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "alloc"),
    doc = "Filter policies for storage engines, without an allocator. `README.md` introduces them."
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

// The contract between engines and policies.
mod policy;

// The number that configures every policy.
mod bits_per_key;

// LevelDB's format: its hash functions, and the policies.
pub mod leveldb;

mod filter_bytes;

// Around one filter: from a stream of keys, for each block of a table, over prefixes.
#[cfg(feature = "alloc")]
mod builder;

pub mod filter_block;

#[cfg(feature = "alloc")]
pub mod prefix;

// For the authors of policies.
pub mod own_policy;

#[cfg(feature = "alloc")]
pub mod contract;

pub mod building;

pub mod answers;

mod key_hash;

mod keys;

mod error;

/// SIMD kernels, selected at run time. Output is identical to the portable code.
pub mod kernels {
    pub use filter_kernels::{Kernel, KernelToken, Keys, Lookup, Source, StoredBits};
}

pub use answers::Answers;
pub use bits_per_key::BitsPerKey;
#[cfg(feature = "alloc")]
pub use builder::FilterBuilder;
pub use error::Error;
pub use filter_bytes::FilterBytes;
pub use key_hash::{HashFunctionId, HashValue, KeyHash, KeyHashes, basho_hash, basho_murmur2_hash};
pub use keys::{BatchKey, KeyBatch, PackedKeys};
pub use leveldb::BloomFilterPolicy;
pub use policy::{
    AsPolicy, FilterPolicy, HashedKey, Layout, MATCHES_EVERYTHING, OwnedFilter, Policy, Prepared,
    PreparedFilter,
};
