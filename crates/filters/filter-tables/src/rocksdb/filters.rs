//! The filters of a RocksDB table.

use alloc::vec::Vec;

use super::super::footer::BlockHandle;

/// The filters of a table, and which of them answer for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RocksDbFilters {
    handles: FilterHandles,
    /// Set if the filters hold whole keys, not prefixes alone.
    has_whole_keys: bool,
    /// Set if the partition of a key can be found by comparing bytes.
    is_bytewise: bool,
}

/// The places of the filters of a table, as named in its metaindex.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterHandles {
    /// No filters.
    None,
    /// One filter for all keys, in this block.
    Full(BlockHandle),
    /// One filter for each range of keys, in key order.
    Partitioned(Vec<FilterPartition>),
    /// A filter block like LevelDB's, which RocksDB wrote on request until 7.0 and no longer reads: its filters
    /// have k in their last byte, and use RocksDB's 32-bit hash.
    BlockBased(BlockHandle),
}

/// One of the filters of a table with partitioned filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterPartition {
    /// A key at or above the last key of the partition and below all keys of the next, in the order of the database: a
    /// user key, without the bytes that RocksDB stores after it.
    pub separator: Vec<u8>,
    /// The handle of the filter.
    pub handle: BlockHandle,
}

impl RocksDbFilters {
    pub(super) fn new(handles: FilterHandles, has_whole_keys: bool, is_bytewise: bool) -> Self {
        let ascend = match &handles {
            FilterHandles::Partitioned(partitions) => {
                partitions.is_sorted_by(|one, next| one.separator <= next.separator)
            }
            _ => true,
        };
        Self {
            handles,
            has_whole_keys,
            is_bytewise: ascend && is_bytewise,
        }
    }

    /// Returns where the filters are.
    pub const fn handles(&self) -> &FilterHandles {
        &self.handles
    }

    /// Returns true if one filter answers for a key. Otherwise the table does not show that keys are ordered by their
    /// bytes, [`may_match`](Self::may_match) queries every partition, and false positives add up.
    pub fn has_one_for_each_key(&self) -> bool {
        match &self.handles {
            FilterHandles::Partitioned(partitions) => self.is_bytewise || partitions.len() < 2,
            _ => true,
        }
    }

    /// Returns true if the table may contain the user's key. `query` returns the answer of the filter with a handle,
    /// and is called until a filter matches.
    ///
    /// Partitions are ordered as the database orders keys. If the property `rocksdb.comparator` is
    /// `leveldb.BytewiseComparator`, only the partition of the key is queried, and with any other order all of them.
    /// Every key may match where filters hold prefixes alone, and for [`BlockBased`](FilterHandles::BlockBased)
    /// filters.
    ///
    /// # Errors
    ///
    /// The errors of `query`.
    pub fn may_match<E>(
        &self,
        key: &[u8],
        mut query: impl FnMut(BlockHandle) -> Result<bool, E>,
    ) -> Result<bool, E> {
        match &self.handles {
            FilterHandles::Full(handle) if self.has_whole_keys => query(*handle),
            FilterHandles::Partitioned(partitions) if self.has_whole_keys => {
                let answering = if self.is_bytewise {
                    // Keys after the last separator belong to the last partition.
                    let at = partitions.partition_point(|partition| partition.separator.as_slice() < key);
                    let at = at.min(partitions.len().saturating_sub(1));
                    partitions.get(at..=at).unwrap_or_default()
                } else {
                    partitions
                };
                for partition in answering {
                    if query(partition.handle)? {
                        return Ok(true);
                    }
                }
                Ok(answering.is_empty())
            }
            _ => Ok(true),
        }
    }
}
