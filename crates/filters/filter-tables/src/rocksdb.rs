//! Reads RocksDB's block-based tables (`.sst`), as far as the filters and the keys require.
//!
//! [`RocksDbTable`] reads format versions 0 to 7: the footer, the metaindex, the properties, the index with or without
//! partitions, full and partitioned filters, and blocks with any of RocksDB's checksums. Filters are never compressed.

mod filters;
mod footer;
mod index;
mod properties;
mod reader;

pub use filters::{FilterHandles, FilterPartition, FilteredPart, RocksDbFilters};
pub use footer::{ROCKSDB_FOOTER_LEN, ROCKSDB_MAGIC, RocksDbFooter};
pub use properties::RocksDbProperties;
pub use reader::RocksDbTable;
