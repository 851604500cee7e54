//! RocksDB's block-based tables (`.sst`), as far as the way to the filters and the keys goes.
//!
//! [`RocksDbTable`] reads format versions 0 to 7: the footer, the metaindex, the properties, the index with or without
//! parts, full and partitioned filters, and blocks with any of RocksDB's checksums. Blocks that are compressed otherwise
//! than with Snappy are not read; filters never are compressed.

#[cfg(feature = "alloc")]
mod filters;
mod footer;
#[cfg(feature = "alloc")]
mod index;
#[cfg(feature = "alloc")]
mod properties;
#[cfg(feature = "alloc")]
mod reader;

#[cfg(feature = "alloc")]
pub use filters::{FilterPartition, RocksDbFilters};
pub use footer::{ROCKSDB_FOOTER_LEN, ROCKSDB_MAGIC, RocksDbFooter};
#[cfg(feature = "alloc")]
pub use properties::RocksDbProperties;
#[cfg(feature = "alloc")]
pub use reader::RocksDbTable;
