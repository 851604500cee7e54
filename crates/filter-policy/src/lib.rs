// The README's links to files, for readers of the documentation: the first definition of a link counts.
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

mod arch;
mod batches;
mod bloom;
mod bloom64;
mod builder;
mod error;
mod filter_block;
pub mod format;
mod hasher;
mod keys;
mod modulus;
mod params;
#[cfg(feature = "alloc")]
pub mod policies;
mod policy;
#[cfg(feature = "alloc")]
mod prefix;
mod prepared;
mod probe;
mod rocksdb;
pub mod sizing;
pub mod table;
pub mod theory;
mod view;
pub mod which;

pub use arch::Kernel;
pub use bloom::BloomFilterPolicy;
pub use bloom64::{BloomFilter64Policy, BloomFilter64View, HashedKey64};
pub use builder::FilterBuilder;
pub use error::Error;
#[cfg(feature = "alloc")]
pub use filter_block::FilterBlockBuilder;
pub use filter_block::{FilterBlockDamage, FilterBlockReader, StoredFilter};
pub use hasher::{KeyHasher, LaneHash, LevelDbHash, Murmur2, Murmur2SignedTail};
pub use keys::{KeyBatch, PackedKeys};
pub use params::{BitsPerKey, MAX_PROBES, MIN_BITS};
pub use policy::FilterPolicy;
#[cfg(feature = "alloc")]
pub use prefix::{FixedPrefix, PrefixExtractor, PrefixPolicy, SeparatedPrefix};
pub use prepared::{HashedKey, PreparedFilter};
pub use probe::{Positions, ProbeSequence};
#[cfg(feature = "alloc")]
pub use rocksdb::RibbonPolicy;
pub use rocksdb::{
    CacheLine, FastLocalBloomPolicy, HashedRocksDbKey, LegacyFullFilterPolicy, RocksDbBitsPerKey,
    RocksDbFilterKind, RocksDbFilterView,
};
pub use view::{FilterKind, FilterView, MATCHES_EVERYTHING};
