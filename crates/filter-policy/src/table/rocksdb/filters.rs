//! The filters of a table of RocksDB's.

use alloc::vec::Vec;

use super::super::footer::BlockHandle;

/// The filters that a table holds, as its metaindex names them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RocksDbFilters {
    /// There are none.
    None,
    /// One for all keys, in this block.
    Full(BlockHandle),
    /// One for each range of keys, in the order of the keys.
    Partitioned(Vec<FilterPartition>),
    /// A filter block in LevelDB's layout, which RocksDB wrote until 7.0 on request and reads no more: its filters have
    /// k in their last byte, and RocksDB's 32-bit hash.
    BlockBased(BlockHandle),
}

/// One of the filters of a table whose filters are partitioned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterPartition {
    /// A key that is not below the last key of the partition, and below all keys of the next: of the user, without the
    /// bytes that RocksDB stores behind it.
    pub separator: Vec<u8>,
    /// The place of the filter.
    pub handle: BlockHandle,
}

impl RocksDbFilters {
    /// Returns the handle of the filter that holds the user's key if the table does: the only one, or the first whose
    /// separator is not below the key, else the last. Returns `None` when there is none, and for
    /// [`BlockBased`](Self::BlockBased) filters.
    ///
    /// Keys are compared as bytes: for tables with another comparator (property `rocksdb.comparator`) it may be the wrong
    /// partition.
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
