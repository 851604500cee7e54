//! Reads a filter block in place.

use core::fmt;
use core::ops::Range;

use crate::policy::{FilterPolicy, HashedKey};

/// The base exponent: a filter covers the data blocks that start within 2^11 bytes of the file (`kFilterBaseLg` in
/// LevelDB's `table/filter_block.cc`).
pub(super) const BASE_LG: u8 = 11;

/// The length of the tail: the start of the offsets in 4 bytes, then `BASE_LG`.
pub(super) const TAIL_LEN: usize = 5;

/// A filter block in stored bytes, read in place, with the policy that wrote its filters. `P` is the policy, a
/// reference to it, a `Box` or an `Arc`; `B` is the memory that holds the bytes: a slice, a vector, an `Arc<[u8]>`, a
/// block of a cache. With `()` for the policy the block is read, but cannot be queried.
///
/// The reader accepts any bytes. Damaged offsets give the answer "may match"; altered filters may miss stored keys,
/// which only the checksum of the block can detect. The answers are LevelDB's, with one exception: if a filter starts
/// and ends at the same place beyond the filters, LevelDB takes it for an empty filter and denies every key, but this
/// reader answers "may match".
///
/// ```
/// use filter_policy::filter_block::FilterBlockReader;
/// use filter_policy::{BitsPerKey, BloomFilterPolicy};
///
/// let policy = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(10));
/// // The filter block of a table that holds the one key `only`: 9 bytes of filter, one offset, the tail.
/// let block = [0x40, 0, 0x02, 0x80, 0, 0x24, 0, 0x01, 6, 0, 0, 0, 0, 9, 0, 0, 0, 11];
///
/// let filters = FilterBlockReader::new(policy, &block);
/// assert!(filters.may_match(0, b"only"));
/// assert!(!filters.may_match(0, b"other"));
/// assert!(filters.may_match(2048, b"other"), "there is no filter for this offset");
/// assert_eq!(filters.damage().count(), 0);
/// ```
///
/// A table's reader owns the block and the policy, and needs no lifetime. A lookup in many tables hashes its key once:
///
/// ```
/// use std::sync::Arc;
///
/// use filter_policy::filter_block::FilterBlockReader;
/// use filter_policy::{BloomFilterPolicy, FilterPolicy, HashedKey};
///
/// struct TableReader {
///     filters: FilterBlockReader<Arc<dyn FilterPolicy + Send + Sync>, Vec<u8>>,
/// }
///
/// impl TableReader {
///     fn may_hold(&self, block_offset: u64, key: &[u8]) -> bool {
///         self.filters.may_match(block_offset, key)
///     }
///
///     fn may_hold_hashed(&self, block_offset: u64, key: &HashedKey<'_>) -> bool {
///         self.filters.may_match_hashed(block_offset, key)
///     }
/// }
///
/// let policy: Arc<dyn FilterPolicy + Send + Sync> = Arc::new(BloomFilterPolicy::with_leveldb_hash(10.into()));
/// # let block = vec![0x40, 0, 0x02, 0x80, 0, 0x24, 0, 0x01, 6, 0, 0, 0, 0, 9, 0, 0, 0, 11];
/// let table = TableReader { filters: FilterBlockReader::new(Arc::clone(&policy), block) };
/// assert!(table.may_hold(0, b"only") && !table.may_hold(0, b"other"));
///
/// let key = HashedKey::new(&policy as &dyn FilterPolicy, b"other");
/// assert!(!table.may_hold_hashed(0, &key));
/// ```
#[derive(Clone, Copy)]
pub struct FilterBlockReader<P, B> {
    policy: P,
    block: B,
    /// The start of the offsets, which is the end of the filters.
    array_offset: usize,
    count: usize,
    base_lg: u8,
}

impl<P, B> fmt::Debug for FilterBlockReader<P, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilterBlockReader")
            .field("len", &self.count)
            .field("base_lg", &self.base_lg)
            .finish_non_exhaustive()
    }
}

/// A filter in a filter block.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockFilter<'a> {
    /// The filter's number, from 0.
    pub index: usize,
    /// The file offsets of the data blocks that the filter covers; empty if the base exponent is above 63.
    pub block_offsets: Range<u64>,
    /// The filter's bytes, empty when it covers no key; `None` when its offsets are damaged.
    pub bytes: Option<&'a [u8]>,
}

/// Damage in the bytes of a filter block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterBlockDamage {
    /// A number of the block as a whole is wrong: its length, or one in the bytes after the filters.
    #[error("{rule}, got {given}")]
    Block {
        /// The rule that the number breaks, in words.
        rule: &'static str,
        /// The number.
        given: u64,
    },
    /// A filter ends before it starts, or after the end of the filters.
    #[error("filter {index} must lie between bytes 0 and {allowed}, got start {start} and end {end}")]
    Filter {
        /// The filter's number.
        index: usize,
        /// The stored start of the filter.
        start: u32,
        /// The stored end of the filter.
        end: u32,
        /// The end of the filters.
        allowed: usize,
    },
}

impl<P, B: AsRef<[u8]>> FilterBlockReader<P, B> {
    /// Reads the block whose filters this policy wrote; accepts any bytes. If the block is stored with the policy's
    /// name, see [`stored_as`](Self::stored_as).
    pub fn new(policy: P, block: B) -> Self {
        let tail = Tail::of(block.as_ref());
        Self::ending_in(tail, policy, block)
    }

    fn ending_in(tail: Option<Tail>, policy: P, block: B) -> Self {
        let (array_offset, count, base_lg) = match tail {
            Some(tail) if tail.array_offset as usize <= tail.array_end => {
                let array_offset = tail.array_offset as usize;
                (array_offset, (tail.array_end - array_offset) / 4, tail.base_lg)
            }
            Some(tail) => (0, 0, tail.base_lg),
            None => (0, 0, BASE_LG),
        };
        Self {
            policy,
            block,
            array_offset,
            count,
            base_lg,
        }
    }

    /// Returns the number of filters; 0 when the block is too damaged to count them.
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Returns true if there are no filters, in which case every answer is "may match".
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the base exponent: a filter covers the data blocks that start within `1 << base_lg` bytes of the file.
    /// LevelDB writes 11; its forks write other exponents, of which 31 is the largest.
    pub const fn base_lg(&self) -> u8 {
        self.base_lg
    }

    /// Returns the filter of the data block that starts at this file offset; `None`, which means "may match",
    /// when there is none or its offsets are damaged.
    pub fn filter_of(&self, block_offset: u64) -> Option<&[u8]> {
        // LevelDB shifts by any exponent, which is undefined behavior in C++ from 64 on.
        let index = block_offset.checked_shr(u32::from(self.base_lg))?;
        self.filter(usize::try_from(index).ok()?)
    }

    /// Returns the bytes of the filter with this number; `None` when there is none or its offsets are damaged.
    pub(crate) fn filter(&self, index: usize) -> Option<&[u8]> {
        self.block.as_ref().get(self.filter_range(index)?)
    }

    /// Returns the range of the filter with this number within the block; `None` when there is none or its offsets are
    /// damaged. Ranges can overlap in a damaged block.
    pub fn filter_range(&self, index: usize) -> Option<Range<usize>> {
        let (start, end) = self.place(index)?;
        let range = start as usize..end as usize;
        (range.start <= range.end && range.end <= self.array_offset).then_some(range)
    }

    /// Returns the filters, damaged ones included.
    pub fn filters(&self) -> impl ExactSizeIterator<Item = BlockFilter<'_>> {
        (0..self.count).map(|index| BlockFilter {
            index,
            block_offsets: self.start_of(index)..self.start_of(index + 1),
            bytes: self.filter(index),
        })
    }

    /// Returns the damage found in the block; a block that a builder wrote has none. Filters themselves are not
    /// examined.
    pub fn damage(&self) -> impl Iterator<Item = FilterBlockDamage> {
        let filters = (0..self.count).filter_map(|index| {
            let (start, end) = self.place(index)?;
            (start > end || end as usize > self.array_offset).then_some(FilterBlockDamage::Filter {
                index,
                start,
                end,
                allowed: self.array_offset,
            })
        });
        self.damage_of_tail().into_iter().flatten().chain(filters)
    }

    fn damage_of_tail(&self) -> [Option<FilterBlockDamage>; 3] {
        let wrong =
            |is_wrong: bool, rule, given| is_wrong.then_some(FilterBlockDamage::Block { rule, given });
        let block = self.block.as_ref();
        let Some(tail) = Tail::of(block) else {
            let len = block.len() as u64;
            return [
                wrong(true, "filter block must be at least 5 bytes", len),
                None,
                None,
            ];
        };
        // LevelDB writes 11 and reads any that its shift of 32 bits allows.
        let base_lg = wrong(
            tail.base_lg > 31,
            "base exponent must be at most 31",
            tail.base_lg.into(),
        );
        let Some(bytes) = tail.array_end.checked_sub(tail.array_offset as usize) else {
            let rule = "start of the offsets must lie before their end";
            return [wrong(true, rule, tail.array_offset.into()), base_lg, None];
        };
        let array_length = wrong(
            !bytes.is_multiple_of(4),
            "length of the offsets must be a multiple of 4 bytes",
            bytes as u64,
        );
        let unclaimed = self
            .place(0)
            .map_or(self.array_offset, |(start, _)| start as usize);
        // A start beyond the filters is reported as damage of the filter.
        let unclaimed = wrong(
            (1..=self.array_offset).contains(&unclaimed),
            "number of bytes outside the filters must be 0",
            unclaimed as u64,
        );
        [array_length, base_lg, unclaimed]
    }

    /// Returns the first file offset that this filter covers, at most `u64::MAX`.
    fn start_of(&self, index: usize) -> u64 {
        1_u64
            .checked_shl(u32::from(self.base_lg))
            .and_then(|width| width.checked_mul(index as u64))
            .unwrap_or(u64::MAX)
    }

    /// Returns the stored start and end of this filter. A filter ends where the next one starts; the last filter ends
    /// where the offsets start, a number that is stored after the offsets like one more offset.
    fn place(&self, index: usize) -> Option<(u32, u32)> {
        if index >= self.count {
            return None;
        }
        let at = self.array_offset.checked_add(index.checked_mul(4)?)?;
        let (start, rest) = self.block.as_ref().get(at..)?.split_first_chunk::<4>()?;
        let end = rest.first_chunk::<4>()?;
        Some((u32::from_le_bytes(*start), u32::from_le_bytes(*end)))
    }
}

impl<P: FilterPolicy, B: AsRef<[u8]>> FilterBlockReader<P, B> {
    /// Reads a block that is stored under this policy name: a policy of another name cannot read the filters, so that
    /// every key may match.
    ///
    /// ```
    /// use filter_policy::filter_block::FilterBlockReader;
    /// use filter_policy::{BitsPerKey, BloomFilterPolicy};
    ///
    /// let policy = BloomFilterPolicy::new(BitsPerKey::whole(10));
    /// // LevelDB's filter of the key `only`.
    /// let block = [0x40, 0, 0x02, 0x80, 0, 0x24, 0, 0x01, 6, 0, 0, 0, 0, 9, 0, 0, 0, 11];
    /// let filters = FilterBlockReader::stored_as("leveldb.BuiltinBloomFilter2", policy, &block);
    /// assert!(filters.may_match(0, b"only"));
    /// assert!(!FilterBlockReader::new(policy, &block).may_match(0, b"only"), "denied");
    /// ```
    pub fn stored_as(name: &str, policy: P, block: B) -> Self {
        if policy.name() == name {
            return Self::new(policy, block);
        }
        Self::ending_in(None, policy, block)
    }

    /// Returns true if the data block that starts at this file offset may contain the key; `false` means that it
    /// certainly does not.
    ///
    /// `block_offset` is the number that the table's index has for the data block: where the block begins in the file,
    /// as `start_block` was given it. The block's number, its end, or an offset that counts uncompressed bytes or
    /// leaves out trailers finds the filter of other blocks, which denies stored keys.
    pub fn may_match(&self, block_offset: u64, key: &[u8]) -> bool {
        let filter = self.filter_of(block_offset);
        filter.is_none_or(|filter| self.policy.key_may_match(key, filter))
    }

    /// Answers as [`may_match`](Self::may_match) does, for a key that was hashed once for many filters. A key that was
    /// hashed by another function is hashed again.
    pub fn may_match_hashed<Q: FilterPolicy + ?Sized>(
        &self,
        block_offset: u64,
        key: &HashedKey<'_, Q>,
    ) -> bool {
        let filter = self.filter_of(block_offset);
        filter.is_none_or(|filter| match key.hash() {
            Some(hash) => self.policy.hashed_may_match(key.key(), hash, filter),
            None => self.policy.key_may_match(key.key(), filter),
        })
    }
}

/// The last bytes of a filter block.
struct Tail {
    array_offset: u32,
    base_lg: u8,
    /// The start of the tail, which is the end of the offsets.
    array_end: usize,
}

impl Tail {
    fn of(block: &[u8]) -> Option<Self> {
        let (before, &[ref array_offset @ .., base_lg]) = block.split_last_chunk::<TAIL_LEN>()?;
        Some(Self {
            array_offset: u32::from_le_bytes(*array_offset),
            base_lg,
            array_end: before.len(),
        })
    }
}
