//! Writes a filter block while a table is written.

use alloc::vec::Vec;

use super::reader::{BASE_LG, TAIL_LEN};
use crate::error::Error;
use crate::policy::FilterPolicy;

/// A filter block under construction, for any policy.
///
/// Calls follow the grammar `(start_block add_key*)* finish`, where the offsets never go back: an engine
/// starts a block before it adds the keys of a data block, with the offset at which the data block will start
/// in the file. What does not follow it is an error. Data blocks that start within the same 2048 bytes share
/// a filter; 2048 bytes in which no data block starts have an empty one, which takes 4 bytes of offset.
///
/// ```
/// use filter_policy::filter_block::{FilterBlockBuilder, FilterBlockReader};
/// use filter_policy::{BitsPerKey, BloomFilterPolicy};
///
/// let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10));
/// let mut builder = FilterBlockBuilder::new(&policy);
/// builder.start_block(0)?;
/// builder.add_key(b"apple")?;
/// builder.add_key(b"banana")?;
/// builder.start_block(4101)?;
/// builder.add_key(b"cherry")?;
/// let block = builder.finish()?;
///
/// let filters = FilterBlockReader::new(&block);
/// assert_eq!(filters.len(), 3);
/// assert!(filters.key_may_match(&policy, 0, b"banana"));
/// assert!(filters.key_may_match(&policy, 4101, b"cherry"));
/// assert!(!filters.key_may_match(&policy, 4101, b"banana"));
/// # Ok::<(), filter_policy::Error>(())
/// ```
///
/// An error leaves the builder as it was before the call.
pub struct FilterBlockBuilder<'p, P: ?Sized> {
    policy: &'p P,
    /// Where the last data block starts; `None` before the first.
    last_offset: Option<u64>,
    /// The keys that have no filter yet, one after the other.
    keys: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
    /// The finished filters, one after the other.
    filters: Vec<u8>,
    /// Where each of them starts.
    offsets: Vec<u32>,
}

impl<P: FilterPolicy + ?Sized> core::fmt::Debug for FilterBlockBuilder<'_, P> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("FilterBlockBuilder")
            .field("policy", &self.policy.name())
            .field("finished_filters", &self.offsets.len())
            .finish_non_exhaustive()
    }
}

impl<'p, P: FilterPolicy + ?Sized> FilterBlockBuilder<'p, P> {
    /// A builder of filters by this policy, with no data block yet.
    pub const fn new(policy: &'p P) -> Self {
        Self {
            policy,
            last_offset: None,
            keys: Vec::new(),
            ends: Vec::new(),
            filters: Vec::new(),
            offsets: Vec::new(),
        }
    }

    /// Starts a data block at this offset of the file; the keys that follow are its keys.
    ///
    /// # Errors
    ///
    /// [`Error::BlockOffsetWentBack`]; [`Error::FilterBlockTooLarge`] when the offset is so large that 32 bits cannot
    /// tell the filters up to it apart; the policy's error when it cannot build a filter from the previous keys.
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

    /// Adds a key of the data block that was started last. Duplicates count.
    ///
    /// # Errors
    ///
    /// [`Error::KeyBeforeBlock`], [`Error::AllocationFailed`].
    pub fn add_key(&mut self, key: &[u8]) -> Result<(), Error> {
        if self.last_offset.is_none() {
            return Err(Error::KeyBeforeBlock);
        }
        reserve(&mut self.keys, key.len())?;
        reserve(&mut self.ends, 1)?;
        self.keys.extend_from_slice(key);
        self.ends.push(self.keys.len());
        Ok(())
    }

    /// Returns the finished filter block.
    ///
    /// # Errors
    ///
    /// [`Error::FilterBlockTooLarge`]; the policy's error when it cannot build a filter from the last keys.
    pub fn finish(mut self) -> Result<Vec<u8>, Error> {
        if !self.ends.is_empty() {
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

    /// Makes the keys a filter, and empty filters after it until there are `count` of them.
    fn generate_until(&mut self, count: u64) -> Result<(), Error> {
        let start = check_size(&self.filters, count)?;
        // No more than 2^30, because their offsets fit into 2^32 bytes.
        let new = usize::try_from(count)
            .unwrap_or(usize::MAX)
            .saturating_sub(self.offsets.len());
        reserve(&mut self.offsets, new)?;
        if !self.ends.is_empty() {
            self.append_filter()?;
        }
        let end = check_size(&self.filters, count).inspect_err(|_| self.filters.truncate(start as usize))?;
        self.keys.clear();
        self.ends.clear();
        self.offsets.push(start);
        self.offsets.resize(self.offsets.len() + new - 1, end);
        Ok(())
    }

    fn append_filter(&mut self) -> Result<(), Error> {
        let mut keys = Vec::new();
        reserve(&mut keys, self.ends.len())?;
        let mut start = 0;
        for &end in &self.ends {
            keys.push(self.keys.get(start..end).unwrap_or_default());
            start = end;
        }
        self.policy.append_filter(&keys, &mut self.filters)
    }
}

/// The length of the filters, if the block that holds them and `count` offsets has a size that fits into 32
/// bits.
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

fn reserve<T>(vector: &mut Vec<T>, additional: usize) -> Result<(), Error> {
    vector
        .try_reserve(additional)
        .map_err(|_| Error::AllocationFailed {
            bytes: additional.saturating_mul(size_of::<T>()),
        })
}
