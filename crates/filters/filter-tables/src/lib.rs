#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
#![warn(
    clippy::alloc_instead_of_core,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core
)]

extern crate alloc;
#[cfg(any(test, feature = "snappy", feature = "std"))]
extern crate std;

mod block;
mod blocks;
mod checksum;
mod compression;
mod error;
mod footer;
mod manifest;
mod reader;
mod rocksdb;
mod source;
mod stored;
mod varint;

pub use block::{Block, Entries, Entry};
pub use blocks::{MAX_BLOCK_BYTES, MAX_METAINDEX_BYTES};
pub use checksum::{ChecksumKind, block_checksum};
pub use error::{BlockRole, Damage, Error};
pub use footer::{BlockHandle, FOOTER_LEN, Footer, MAGIC, RocksDbForm};
pub use manifest::{DatabaseManifest, ManifestError, manifest_name};
pub use reader::{MetaindexEntry, Table};
pub use rocksdb::{
    FilterHandles, FilterPartition, FilteredPart, RocksDbFilters, RocksDbProperties, RocksDbTable,
};
pub use rocksdb::{ROCKSDB_FOOTER_LEN, ROCKSDB_MAGIC, RocksDbFooter};
pub use source::{PastEnd, ReadAt};
pub use stored::{StoredBlock, TRAILER_LEN};
