//! The filters of a RocksDB table.

use alloc::vec::Vec;

use super::super::footer::BlockHandle;

/// The part of a key that filters hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilteredPart {
    /// The whole key.
    WholeKey,
    /// The first bytes, of keys that have so many: the extractor `rocksdb.FixedPrefix.N`.
    FixedPrefix(usize),
    /// The first bytes, or all of a key that has fewer: the extractor `rocksdb.CappedPrefix.N`.
    CappedPrefix(usize),
    /// The part that another extractor returns, or that the table does not name.
    Unknown,
}

impl FilteredPart {
    /// Returns the part that the extractor with this name returns. Some releases write the name without a length.
    ///
    /// Source: RocksDB, `util/slice.cc`.
    pub(super) fn of_extractor(name: &[u8]) -> Self {
        let len = |prefix: &str| {
            let digits = str::from_utf8(name).ok()?.strip_prefix(prefix)?;
            digits
                .bytes()
                .all(|byte| byte.is_ascii_digit())
                .then_some(digits)?
                .parse()
                .ok()
        };
        match (len("rocksdb.FixedPrefix."), len("rocksdb.CappedPrefix.")) {
            (Some(len), _) => Self::FixedPrefix(len),
            (_, Some(len)) => Self::CappedPrefix(len),
            _ => Self::Unknown,
        }
    }

    /// Returns the part of a key; `None` if filters do not hold the key, or the part is unknown. Such a key may match.
    pub fn of(self, key: &[u8]) -> Option<&[u8]> {
        match self {
            Self::WholeKey => Some(key),
            Self::FixedPrefix(len) => key.get(..len),
            Self::CappedPrefix(len) => Some(key.get(..len).unwrap_or(key)),
            Self::Unknown => None,
        }
    }
}

/// The filters of a table, and which of them answer for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RocksDbFilters {
    handles: FilterHandles,
    part: FilteredPart,
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
    pub(super) fn new(handles: FilterHandles, part: FilteredPart, is_bytewise: bool) -> Self {
        let ascend = match &handles {
            FilterHandles::Partitioned(partitions) => {
                partitions.is_sorted_by(|one, next| one.separator <= next.separator)
            }
            _ => true,
        };
        Self {
            handles,
            part,
            is_bytewise: ascend && is_bytewise,
        }
    }

    /// Returns where the filters are.
    pub const fn handles(&self) -> &FilterHandles {
        &self.handles
    }

    /// Returns the part of a key that the filters hold.
    pub const fn part(&self) -> FilteredPart {
        self.part
    }

    /// Returns true if one filter answers for a key, or those of a range for its prefix. Otherwise the table does not show that keys are ordered by their
    /// bytes, [`may_match`](Self::may_match) queries every partition, and false positives add up.
    pub fn has_one_for_each_key(&self) -> bool {
        match &self.handles {
            FilterHandles::Partitioned(partitions) => self.is_bytewise || partitions.len() < 2,
            _ => true,
        }
    }

    /// Returns true if the table may contain the user's key. `query` returns the answer of the filter with a handle for
    /// these bytes, which are the key or its prefix, and is called until a filter matches.
    ///
    /// Partitions are ordered as the database orders keys. If the property `rocksdb.comparator` is
    /// `leveldb.BytewiseComparator`, only the partition of the key is queried, or all that may have keys with its
    /// prefix, and with any other order all of them. Every key may match where the filters do not [hold](FilteredPart)
    /// it, and for [`BlockBased`](FilterHandles::BlockBased) filters.
    pub fn may_match<E>(
        &self,
        key: &[u8],
        mut query: impl FnMut(&[u8], BlockHandle) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let Some(part) = self.part.of(key) else {
            return Ok(true);
        };
        match &self.handles {
            FilterHandles::Full(handle) => query(part, *handle),
            FilterHandles::Partitioned(partitions) => {
                let answering = match self.is_bytewise {
                    true => self.answering(part, partitions),
                    false => partitions,
                };
                for partition in answering {
                    if query(part, partition.handle)? {
                        return Ok(true);
                    }
                }
                Ok(answering.is_empty())
            }
            _ => Ok(true),
        }
    }

    /// Returns the partitions that may hold a key, or keys with a prefix, if keys are ordered by their bytes.
    fn answering<'p>(&self, part: &[u8], partitions: &'p [FilterPartition]) -> &'p [FilterPartition] {
        let first = partitions.partition_point(|partition| partition.separator.as_slice() < part);
        let end = match self.part {
            FilteredPart::WholeKey => first,
            _ => partitions.partition_point(|FilterPartition { separator, .. }| {
                separator.as_slice() < part || separator.starts_with(part)
            }),
        };
        // Keys after the last separator belong to the last partition.
        let last = partitions.len().saturating_sub(1);
        partitions
            .get(first.min(last)..=end.min(last))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn prefixes_of_known_extractors() {
        let part = |name: &str| FilteredPart::of_extractor(name.as_bytes());
        let (fixed, capped) = (part("rocksdb.FixedPrefix.3"), part("rocksdb.CappedPrefix.3"));
        assert_eq!(
            (fixed.of(b"abcd"), capped.of(b"abcd")),
            (Some(&b"abc"[..]), Some(&b"abc"[..]))
        );
        assert_eq!(
            (fixed.of(b"abc"), capped.of(b"abc")),
            (Some(&b"abc"[..]), Some(&b"abc"[..]))
        );
        assert_eq!((fixed.of(b"ab"), capped.of(b"ab")), (None, Some(&b"ab"[..])));
        for name in [
            "rocksdb.FixedPrefix",
            "rocksdb.FixedPrefix.",
            "rocksdb.FixedPrefix.+3",
            "rocksdb.Noop",
            "own",
            "rocksdb.FixedPrefix.99999999999999999999",
            "rocksdb.CappedPrefix.3.",
            "fixed:3",
        ] {
            assert_eq!(part(name), FilteredPart::Unknown, "{name}");
        }
        assert_eq!(FilteredPart::Unknown.of(b"abcd"), None);
    }

    /// The partitions of a prefix are all that may have keys with it.
    #[test]
    fn partitions_of_prefixes() {
        let partitions = ["aab", "abc", "abx", "b"].iter().zip(0..);
        let partitions = partitions.map(|(separator, offset)| FilterPartition {
            separator: separator.as_bytes().to_vec(),
            handle: BlockHandle { offset, size: 0 },
        });
        let handles = FilterHandles::Partitioned(partitions.collect());
        let queried = |part, is_bytewise, key: &[u8]| {
            let (filters, mut queried) = (
                RocksDbFilters::new(handles.clone(), part, is_bytewise),
                Vec::new(),
            );
            let answer = filters.may_match(key, |part, handle| {
                queried.push((part.len(), handle.offset));
                Ok::<_, ()>(false)
            });
            (answer.unwrap(), queried)
        };
        let prefix = FilteredPart::FixedPrefix(2);
        assert_eq!(
            queried(FilteredPart::WholeKey, true, b"abd"),
            (false, vec![(3, 2)])
        );
        assert_eq!(
            queried(prefix, true, b"abd"),
            (false, vec![(2, 1), (2, 2), (2, 3)])
        );
        assert_eq!(queried(prefix, true, b"aa"), (false, vec![(2, 0), (2, 1)]));
        assert_eq!(queried(prefix, true, b"xyz"), (false, vec![(2, 3)]));
        assert_eq!(queried(prefix, false, b"xyz").1.len(), 4);
        assert_eq!(queried(prefix, true, b"a"), (true, vec![]));
        assert_eq!(queried(FilteredPart::Unknown, true, b"abd"), (true, vec![]));
    }
}
