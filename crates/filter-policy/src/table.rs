//! Reads LevelDB's and RocksDB's table files, as far as the filters require.
//!
//! A table (`.ldb`, older `.sst`) ends with a footer; the footer points at the metaindex, and the metaindex at the
//! filter block of each policy by name. See [`format`](crate::format) for the bytes. `Table` follows this path through
//! anything that reads ranges of bytes, such as a slice or a file of any size, and returns the filter block of exactly
//! the requested policy. `Table` does not depend on file systems, and writes nothing. `RocksDbTable` does the same for
//! RocksDB's block-based tables. Both need the feature `alloc`; without it, only footers and checksums are available.
//!
//! The contents of a table are not trusted: every handle is checked against the size of the file before memory is
//! allocated, and every block against its checksum before it is read.
#![cfg_attr(
    feature = "alloc",
    doc = r#"
```no_run
use filter_policy::table::Table;
use filter_policy::filter_block::FilterBlockReader;
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};

let bytes = std::fs::read("000005.ldb")?;
let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10));

let table = Table::open(bytes.as_slice())?;
if let Some(block) = table.filter_block(policy.name())? {
    let filters = FilterBlockReader::new(&block);
    // The data block at offset 0 of the file.
    println!("{}", filters.key_may_match(&policy, 0, b"key"));
}
# Ok::<(), Box<dyn std::error::Error>>(())
```
"#
)]

#[cfg(feature = "alloc")]
mod block;
#[cfg(feature = "alloc")]
mod blocks;
mod checksum;
mod error;
mod footer;
#[cfg(feature = "alloc")]
mod reader;
mod rocksdb;
#[cfg(feature = "alloc")]
mod source;
mod stored;
mod varint;

#[cfg(feature = "alloc")]
pub use block::{Block, Entries, Entry};
#[cfg(feature = "alloc")]
pub use blocks::{MAX_BLOCK_BYTES, MAX_METAINDEX_BYTES};
pub use checksum::{ChecksumKind, block_checksum};
pub use error::{BlockRole, Damage, TableError};
pub use footer::{BlockHandle, FOOTER_LEN, Footer, MAGIC, RocksDbForm};
#[cfg(feature = "alloc")]
pub use reader::{MetaindexEntry, Table};
#[cfg(feature = "alloc")]
pub use rocksdb::{FilterPartition, RocksDbFilters, RocksDbProperties, RocksDbTable};
pub use rocksdb::{ROCKSDB_FOOTER_LEN, ROCKSDB_MAGIC, RocksDbFooter};
#[cfg(feature = "alloc")]
pub use source::{PastEnd, ReadAt};
pub use stored::{StoredBlock, TRAILER_LEN};
