//! Builds a filter block while the table is being written.

use alloc::vec::Vec;

use super::reader::{BASE_LG, TAIL_LEN};
use crate::building::{FlatKeys, reserve};
use crate::error::Error;
use crate::policy::FilterPolicy;

/// A filter block under construction, for any policy, which it owns: a reference, a `Box` or an `Arc` of a policy is one.
///
/// Calls follow the grammar `(start_block add_key*)* finish`, and offsets never decrease: an engine calls `start_block`
/// with the file offset at which a data block will start, then adds the keys of that data block. Any other order is an
/// error. Data blocks that start within the same 2048 bytes share a filter; each range of 2048 bytes in which no data
/// block starts gets an empty filter, which costs 4 bytes for its offset.
///
/// ```
/// use filter_policy::filter_block::{FilterBlockBuilder, FilterBlockReader};
/// use filter_policy::{BitsPerKey, BloomFilterPolicy};
///
/// let policy = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(10));
/// let mut builder = FilterBlockBuilder::new(&policy);
/// builder.start_block(0)?;
/// builder.add_key(b"apple")?;
/// builder.add_key(b"banana")?;
/// builder.start_block(4101)?;
/// builder.add_key(b"cherry")?;
/// let block = builder.finish()?;
///
/// let filters = FilterBlockReader::new(&policy, &block);
/// assert_eq!(filters.len(), 3);
/// assert!(filters.may_match(0, b"banana"));
/// assert!(filters.may_match(4101, b"cherry"));
/// assert!(!filters.may_match(4101, b"banana"));
/// # Ok::<(), filter_policy::Error>(())
/// ```
///
/// A table's writer owns its policy and needs no lifetime:
///
/// ```
/// use std::sync::Arc;
///
/// use filter_policy::filter_block::FilterBlockBuilder;
/// use filter_policy::FilterPolicy;
///
/// struct TableWriter {
///     file: Vec<u8>,
///     data_block: Vec<u8>,
///     filters: FilterBlockBuilder<Arc<dyn FilterPolicy + Send + Sync>>,
/// }
///
/// impl TableWriter {
///     fn put(&mut self, key: &[u8]) -> Result<(), filter_policy::Error> {
///         if self.data_block.is_empty() {
///             self.filters.start_block(self.file.len() as u64)?;
///         }
///         self.data_block.extend_from_slice(key);
///         self.filters.add_key(key)?;
///         if self.data_block.len() > 4096 {
///             self.file.append(&mut self.data_block);
///         }
///         Ok(())
///     }
/// }
/// # let policy: Arc<dyn FilterPolicy + Send + Sync> = Arc::new(filter_policy::BloomFilterPolicy::new(10.into()));
/// # let filters = FilterBlockBuilder::new(policy);
/// # let mut writer = TableWriter { file: vec![], data_block: vec![], filters };
/// # writer.put(b"key")?;
/// # assert_eq!(writer.filters.finish()?.len(), 18);
/// # Ok::<(), filter_policy::Error>(())
/// ```
///
/// An error leaves the builder unchanged.
pub struct FilterBlockBuilder<P> {
    policy: P,
    /// The start of the last data block; `None` before the first.
    last_offset: Option<u64>,
    /// The keys that have no filter yet.
    keys: FlatKeys,
    /// The finished filters, concatenated.
    filters: Vec<u8>,
    /// The start of each filter in `filters`.
    offsets: Vec<u32>,
}

impl<P: FilterPolicy> core::fmt::Debug for FilterBlockBuilder<P> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("FilterBlockBuilder")
            .field("policy", &self.policy.name())
            .field("finished_filters", &self.offsets.len())
            .finish_non_exhaustive()
    }
}

impl<P: FilterPolicy> FilterBlockBuilder<P> {
    /// Makes a builder of filters by this policy or a pointer to one, with no data block yet.
    pub const fn new(policy: P) -> Self {
        Self {
            policy,
            last_offset: None,
            keys: FlatKeys::new(),
            filters: Vec::new(),
            offsets: Vec::new(),
        }
    }

    /// Starts a data block at this file offset, where its first byte will be in the table's file, after compression and the
    /// trailers of the blocks before it; the keys added next belong to this data block.
    ///
    /// # Errors
    ///
    /// [`Error::BlockOffsetWentBack`]; [`Error::FilterBlockTooLarge`] when the offset needs more filters than 32-bit
    /// offsets can address; the policy's error when it cannot build a filter from the previous keys.
    pub fn start_block(&mut self, offset: u64) -> Result<(), Error> {
        if let Some(last) = self.last_offset.filter(|&last| offset < last) {
            return Err(Error::BlockOffsetWentBack { given: offset, last });
        }
        let index = offset >> BASE_LG;
        if index > self.offsets.len() as u64 {
            self.generate_until(index)?;
        }
        self.last_offset = Some(offset);
        Ok(())
    }

    /// Adds a key to the current data block. Duplicates count.
    ///
    /// # Errors
    ///
    /// [`Error::KeyBeforeBlock`], [`Error::AllocationFailed`].
    pub fn add_key(&mut self, key: &[u8]) -> Result<(), Error> {
        if self.last_offset.is_none() {
            return Err(Error::KeyBeforeBlock);
        }
        self.keys.push(key)
    }

    /// Returns the finished filter block.
    ///
    /// # Errors
    ///
    /// [`Error::FilterBlockTooLarge`]; the policy's error when it cannot build a filter from the last keys.
    pub fn finish(mut self) -> Result<Vec<u8>, Error> {
        if !self.keys.is_empty() {
            self.generate_until(self.offsets.len() as u64 + 1)?;
        }
        let Self {
            mut filters, offsets, ..
        } = self;
        let array_offset = check_size(&filters, offsets.len() as u64)?;
        reserve(
            &mut filters,
            offsets.len().saturating_mul(4).saturating_add(TAIL_LEN),
        )?;
        for offset in offsets {
            filters.extend_from_slice(&offset.to_le_bytes());
        }
        filters.extend_from_slice(&array_offset.to_le_bytes());
        filters.push(BASE_LG);
        Ok(filters)
    }

    /// Builds a filter from the pending keys, then adds empty filters until there are `count` filters.
    fn generate_until(&mut self, count: u64) -> Result<(), Error> {
        let start = check_size(&self.filters, count)?;
        // At most 2^30, because the offsets fit into 2^32 bytes.
        let new = usize::try_from(count)
            .unwrap_or(usize::MAX)
            .saturating_sub(self.offsets.len());
        reserve(&mut self.offsets, new)?;
        if !self.keys.is_empty() {
            self.policy
                .append_filter(&self.keys.slices()?, &mut self.filters)?;
        }
        let end = check_size(&self.filters, count).inspect_err(|_| self.filters.truncate(start as usize))?;
        self.keys.clear();
        self.offsets.push(start);
        self.offsets.resize(self.offsets.len() + new - 1, end);
        Ok(())
    }
}

/// Returns the length of the filters if a block with these filters and `count` offsets fits into 32 bits.
fn check_size(filters: &[u8], count: u64) -> Result<u32, Error> {
    let bytes = count
        .saturating_mul(4)
        .saturating_add(filters.len() as u64)
        .saturating_add(TAIL_LEN as u64);
    match (u32::try_from(bytes), u32::try_from(filters.len())) {
        (Ok(_), Ok(length)) => Ok(length),
        _ => Err(Error::FilterBlockTooLarge { bytes }),
    }
}
