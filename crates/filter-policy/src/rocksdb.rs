//! RocksDB's filters: Bloom filters whose probes stay in one cache line, Ribbon filters, and what all of them end in.
//!
//! Every filter ends in five bytes that tell its kind, and RocksDB has one reader for all of them. So has this crate:
//! [`RocksDbFilterView`]. The policies differ in what they write; each answers from any of the kinds.
//! [`format`](crate::format) has the bytes and the names.

mod bits_per_key;
mod build;
mod fast_local;
mod legacy;
mod rates;
mod ribbon;
mod view;

pub use bits_per_key::RocksDbBitsPerKey;
pub use fast_local::FastLocalBloomPolicy;
pub use legacy::{CacheLine, LegacyFullFilterPolicy};
pub(crate) use rates::{fast_local_bytes, fast_local_lines, ribbon_bytes, ribbon_rate};
#[cfg(feature = "alloc")]
pub use ribbon::RibbonPolicy;
pub use view::{HashedRocksDbKey, RocksDbFilterKind, RocksDbFilterView};

/// Bytes behind the bits of every filter, which tell what they are.
///
/// Source: RocksDB, `table/block_based/filter_policy.cc` (`kMetadataLen`).
const TAIL_LEN: usize = 5;

/// The first byte of the tail of what RocksDB calls new Bloom filters.
const NEW_BLOOM_MARKER: u8 = 0xff;

/// The first byte of the tail of Ribbon filters.
const RIBBON_MARKER: u8 = 0xfe;

/// The fewest bytes, tail included, that a filter can have and hold a key.
const MIN_LEN: usize = TAIL_LEN + 1;
