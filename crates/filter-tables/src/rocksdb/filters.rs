//! The filters of a RocksDB table.

use alloc::vec::Vec;

use super::super::footer::BlockHandle;

/// The filters of a table, as named in its metaindex.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RocksDbFilters {
    /// No filters.
    None,
    /// One filter for all keys, in this block.
    Full(BlockHandle),
    /// One filter for each range of keys, in key order.
    Partitioned(Vec<FilterPartition>),
    /// A filter block in LevelDB's layout, which RocksDB wrote on request until 7.0 and no longer reads: its filters
    /// have k in their last byte, and use RocksDB's 32-bit hash.
    BlockBased(BlockHandle),
}

/// One of the filters of a table with partitioned filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterPartition {
    /// A key at or above the last key of the partition and below all keys of the next: a user key, without the bytes
    /// that RocksDB stores after it.
    pub separator: Vec<u8>,
    /// The handle of the filter.
    pub handle: BlockHandle,
}

impl RocksDbFilters {
    /// Returns the handle of the filter that holds the user's key if the table does: the only filter, or the first
    /// whose separator is not below the key, else the last. Returns `None` when there is no filter, and for
    /// [`BlockBased`](Self::BlockBased) filters.
    ///
    /// Keys are compared as bytes, so the partition may be wrong in tables with another comparator (property
    /// `rocksdb.comparator`).
    pub fn filter_of(&self, key: &[u8]) -> Option<BlockHandle> {
        match self {
            Self::None | Self::BlockBased(_) => None,
            Self::Full(handle) => Some(*handle),
            Self::Partitioned(partitions) => {
                let at = partitions.partition_point(|partition| partition.separator.as_slice() < key);
                let partition = partitions.get(at).or(partitions.last())?;
                Some(partition.handle)
            }
        }
    }
}
