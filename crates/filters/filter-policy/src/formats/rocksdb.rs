//! RocksDB's filters: Bloom filters whose probes stay in one cache line, and Ribbon filters.
//!
//! Every filter ends in five bytes that identify its kind, and RocksDB has one reader for all kinds. So does this
//! crate: each policy answers from filters of any kind, and [`FilterView`](crate::view::FilterView) reads all of them.
//! The policies differ in what they write. See [`FORMAT.md`](crate::format_page) for the bytes and the names.

mod bits_per_key;
pub(crate) mod fast_local;
mod kinds;
mod legacy;
pub(crate) mod ribbon;

pub use fast_local::{FastLocalBloom, FastLocalBloomPolicy};
pub use legacy::{LegacyBloom, LegacyBloomPolicy};
pub use ribbon::{Ribbon, RibbonPolicy};

/// The name under which RocksDB's tables store filters of every kind, after the prefix `fullfilter.` or
/// `partitionedfilter.`. After `filter.` the name means another encoding, which this crate does not read.
///
/// Source: RocksDB, `table/block_based/filter_policy.cc` (`BuiltinFilterPolicy::kCompatibilityName`).
pub const NAME_IN_TABLES: &str = "rocksdb.BuiltinBloomFilter";
