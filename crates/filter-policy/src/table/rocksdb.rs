//! Reads RocksDB's block-based tables (`.sst`), as far as the filters and the keys require.
//!
//! [`RocksDbTable`] reads format versions 0 to 7: the footer, the metaindex, the properties, the index with or without
//! partitions, full and partitioned filters, and blocks with any of RocksDB's checksums. Snappy is the only supported
//! compression; filters are never compressed.

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
