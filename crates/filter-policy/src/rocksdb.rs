//! RocksDB's filters: Bloom filters whose probes stay in one cache line, Ribbon filters, and what all of them end in.
//!
//! Every filter ends in five bytes that tell its kind, and RocksDB has one reader for all of them. So has this crate:
//! [`RocksDbFilterView`]. The policies differ in what they write; each answers from any of the kinds.
//! [`format`](crate::format) has the bytes and the names.

mod bits_per_key;
mod build;
mod fast_local;
mod hashed;
mod legacy;
mod legacy_lines;
mod rates;
mod ribbon;
#[cfg(feature = "alloc")]
mod ribbon_policy;
mod view;

pub use bits_per_key::RocksDbBitsPerKey;
pub use fast_local::FastLocalBloomPolicy;
pub use hashed::HashedRocksDbKey;
pub use legacy::{CacheLine, LegacyFullFilterPolicy};
pub(crate) use rates::{fast_local_bytes, fast_local_lines, ribbon_bytes, ribbon_rate};
#[cfg(feature = "alloc")]
pub use ribbon_policy::RibbonPolicy;
pub use view::{RocksDbFilterKind, RocksDbFilterView};
