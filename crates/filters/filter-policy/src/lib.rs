// Points the README's file links at modules in the documentation: the first definition of a link counts.
//! [FORMAT.md]: format_page
//! [OWN_POLICY.md]: own_policy
//! [THEORY.md]: theory
//! [WHICH.md]: which
//! [`Format`]: Format
//! [how fast]: which#how-fast
//!
#![cfg_attr(feature = "alloc", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "alloc"),
    doc = "Filter policies for storage engines, without an allocator. `README.md` introduces them."
)]
#![no_std]
#![deny(unsafe_code)]
#![allow(
    private_bounds,
    reason = "the kernels' own part of `StoredBits`, and what seals `AnyFormat`"
)]
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

// Lanes are compiled for every processor, so that no change breaks them unnoticed, but only used where they have
// instructions.
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        unused_variables,
        reason = "no instructions for lanes, or none for those of 64 bits"
    )
)]
#[allow(
    unsafe_code,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "instructions that not every processor has, loads of parts of vectors, and bounds that were checked before"
)]
mod simd;

// The contract between engines and policies.
mod policy;

// The number that configures every policy.
mod bits_per_key;

// The formats: all that is known of each is in its file and folder.
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(
        dead_code,
        unused_imports,
        unused_variables,
        reason = "no instructions for lanes, or none for those of 64 bits"
    )
)]
pub mod formats;

// Policies by name, Parquet's files, sizes and rates, descriptions.
pub mod parquet;
#[cfg(feature = "alloc")]
pub mod policies;
pub mod sizing;
pub mod view;

mod filter_bytes;

// Around one filter: for each block of a table, over prefixes.
pub mod filter_block;

#[cfg(feature = "alloc")]
pub mod prefix;

// Over the order of keys: points, prefixes and ranges.
#[expect(
    clippy::cast_possible_truncation,
    reason = "numbers of symbols, classes, places and bits, which the format limits"
)]
pub mod range;

pub mod building;

pub mod answers;

mod key_hash;

mod keys;

mod error;

#[cfg(feature = "serde")]
pub mod base64_bytes;
#[cfg(feature = "serde")]
mod serde;

mod splitmix;

// The pages' links to each other, which are modules in the documentation.
/// [THEORY.md]: crate::theory#the-arithmetic-of-leveldbs-probes
///
#[doc = include_str!("../FORMAT.md")]
pub mod format_page {}
/// [`coprime_sizes`]: crate::format_page#writing-leveldbs-filter
/// [figures]: crate::which#which-hash
///
#[doc = include_str!("../THEORY.md")]
pub mod theory {}
#[doc = include_str!("../OWN_POLICY.md")]
pub mod own_policy {}
/// [FORMAT.md]: crate::format_page
/// [THEORY.md]: crate::theory
/// [`redisbloom::BloomFilter`]: https://docs.rs/membership-filters/latest/membership_filters/redisbloom/type.BloomFilter.html
///
#[cfg_attr(feature = "alloc", doc = include_str!("../WHICH.md"))]
#[cfg_attr(not(feature = "alloc"), doc = "Which policy to choose: see `WHICH.md`.")]
pub mod which {}

/// SIMD kernels, selected at run time. Output is identical to the portable code.
///
/// A [`Format`] of your own gets a [`KernelToken`](kernels::KernelToken), which it may ignore, and the keys or hash
/// values of a filter as a [`Source`](kernels::Source); its filters implement [`StoredBits`](kernels::StoredBits).
/// `src/simd/README.md` explains how this crate's kernels are written.
pub mod kernels {
    pub use crate::policy::BestKernel;
    pub use crate::simd::{Kernel, KernelToken, Keys, Lookup, Source, StoredBits};
}

pub use answers::Answers;
pub use bits_per_key::BitsPerKey;
pub use error::Error;
pub use filter_bytes::FilterBytes;
pub use formats::basho::{BashoFilterPolicy, BashoTablePolicy};
pub use formats::bloom64::BloomFilter64Policy;
pub use formats::fuse::BinaryFusePolicy;
pub use formats::leveldb::BloomFilterPolicy;
pub use formats::split_block::SplitBlockPolicy;
pub use formats::{leveldb, rocksdb};
pub use key_hash::{HashFunctionId, HashValue, KeyHash, KeyHashes};
pub use keys::{BatchKey, KeyBatch, PackedKeys};
#[cfg(feature = "alloc")]
pub use policy::builder::FilterBuilder;
#[cfg(feature = "alloc")]
pub use policy::contract;
pub use policy::{
    AnyFormat, AsPolicy, FilterPolicy, Format, HashedKey, MATCHES_EVERYTHING, OwnedFilter, Policy, Prepared,
    PreparedFilter,
};
