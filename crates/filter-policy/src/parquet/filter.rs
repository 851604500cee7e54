//! Filters as Parquet stores them, borrowed.

use core::fmt;

use hashzoo::xxh64;

use super::error::ReadError;
use super::header::Header;
use super::value::{Equals, PhysicalValue};
use crate::arch::KernelToken;
use crate::arch::wide::WideSource;
use crate::arch::wide::blocks::{self, BLOCK_LEN, Block};
use crate::batches::for_each_batch;
use crate::error::Error;
use crate::keys::KeyBatch;
use crate::layouts::Contents;
use crate::policy::PreparedFilter;
use crate::view::count_ones;

/// A filter to be asked: a borrowed bit set that was found to be one.
///
/// What depends on the processor was chosen once. To ask for many keys in one call, [`prepare`](Self::prepare) it; to ask many
/// filters for one key, see [`HashedKey::may_match_each`](crate::HashedKey::may_match_each); for size, fill and rate, give
/// [`bitset`](Self::bitset) to a [`FilterView`](crate::view::FilterView).
///
/// ```
/// use filter_policy::parquet::{ReadError, SplitBlockFilter};
/// use filter_policy::view::{FilterLayout, FilterView};
///
/// // `hello` and `world`, as a Parquet file has them: the header, then a block.
/// let stored = [
///     0x15, 0x40, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0, // 32 bytes follow.
///     0x00, 0x00, 0x30, 0x00, 0x00, 0x02, 0x00, 0x02, 0x10, 0x04, 0x00, 0x00, 0xa0, 0x00, 0x00, 0x00, //
///     0x20, 0x02, 0x00, 0x00, 0x00, 0x00, 0x80, 0x80, 0x00, 0x00, 0x20, 0x10, 0x00, 0x00, 0x01, 0x08,
/// ];
/// let filter = SplitBlockFilter::read(&stored)?;
/// assert!(filter.may_match(b"hello") && !filter.may_match(b"foo"));
/// let view = FilterView::new(FilterLayout::SplitBlocks, filter.bitset());
/// assert_eq!(view.estimated_len(), Some(2));
///
/// assert_eq!(SplitBlockFilter::read(&stored[..40]).unwrap_err(), ReadError::Truncated { needed: 47, given: 40 });
/// assert_eq!(SplitBlockFilter::new(&[0; 33]).unwrap_err(), ReadError::Length { given: 33 });
/// # Ok::<(), ReadError>(())
/// ```
#[derive(Clone, Copy)]
pub struct SplitBlockFilter<'a> {
    /// At least one.
    blocks: &'a [Block],
    kernel: KernelToken,
}

impl<'a> SplitBlockFilter<'a> {
    /// Takes a bit set without a header; accepts any bytes of a fitting length.
    ///
    /// # Errors
    ///
    /// [`ReadError::Length`] when the length is not a multiple of 32 from 32 to 2,147,483,616.
    #[inline]
    pub fn new(bitset: &'a [u8]) -> Result<Self, ReadError> {
        Header::new(bitset.len())?;
        Ok(Self {
            blocks: bitset.as_chunks().0,
            kernel: KernelToken::best(),
        })
    }

    /// Reads a header and a bit set, as they are in a Parquet file from a column's `bloom_filter_offset` on. Bytes
    /// after them are ignored.
    ///
    /// # Errors
    ///
    /// [`ReadError::Header`], [`ReadError::Unknown`], [`ReadError::Length`], [`ReadError::Truncated`].
    pub fn read(stored: &'a [u8]) -> Result<Self, ReadError> {
        let (header, start) = Header::read(stored)?;
        let needed = start as u64 + u64::from(header.bitset_len());
        let bitset = usize::try_from(needed)
            .ok()
            .and_then(|end| stored.get(start..end));
        Self::new(bitset.ok_or(ReadError::Truncated {
            needed,
            given: stored.len() as u64,
        })?)
    }

    /// Returns the bit set, without a header.
    pub const fn bitset(&self) -> &'a [u8] {
        self.blocks.as_flattened()
    }

    /// Returns whether the filter may hold a key, which is the plain encoding of a value; `false` means that it certainly
    /// does not.
    #[inline]
    pub fn may_match(&self, key: &[u8]) -> bool {
        blocks::key_may_match(self.kernel, self.blocks, key)
    }

    /// Returns whether the filter may hold a value that compares equal to this one.
    ///
    /// That is whether it [`may_match_hash`](Self::may_match_hash) the value's, but that of a zero both are asked for, with
    /// and without a sign, and that a NaN always may match: nobody knows with which bits it was written.
    pub fn may_match_value(&self, value: PhysicalValue<'_>) -> bool {
        match value.equals() {
            Equals::One(hash) => self.may_match_hash(hash),
            Equals::Both(one, other) => self.may_match_hash(one) || self.may_match_hash(other),
            Equals::Unknown => true,
        }
    }

    /// Returns whether the filter may hold a value of this hash, which is [`PhysicalValue::hash`]'s.
    #[inline(always)]
    pub fn may_match_hash(&self, hash: u64) -> bool {
        blocks::may_match(self.kernel, self.blocks, hash)
    }

    /// Returns the filter in the form in which every policy's filters are asked for many keys in one call.
    #[inline]
    pub fn prepare(&self) -> PreparedFilter<'a> {
        PreparedFilter::of_contents(self.kernel, Contents::SplitBlocks(self.blocks))
    }
}

impl fmt::Debug for SplitBlockFilter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SplitBlockFilter({} blocks)", self.blocks.len())
    }
}

/// A filter that is being built: a borrowed bit set, without an allocator.
///
/// ```
/// use filter_policy::parquet::{PhysicalValue, SplitBlockFilterMut};
///
/// let mut bitset = [0; 4 * 32];
/// let mut filter = SplitBlockFilterMut::new(&mut bitset)?;
/// filter.insert_batch(&[*b"one", *b"two"]);
/// filter.insert_hashes([1, 2, 3].map(|id| PhysicalValue::Int32(id).hash()));
/// assert!(filter.as_filter().may_match(b"two"));
///
/// // There is room to spare.
/// let bitset = filter.fold_to_rate(0.01);
/// assert_eq!(bitset.len(), 32);
/// # Ok::<(), filter_policy::parquet::ReadError>(())
/// ```
pub struct SplitBlockFilterMut<'a> {
    /// At least one.
    blocks: &'a mut [Block],
    kernel: KernelToken,
}

impl<'a> SplitBlockFilterMut<'a> {
    /// Takes a bit set to add to; zeros are an empty one.
    ///
    /// # Errors
    ///
    /// [`ReadError::Length`] when the length is not a multiple of 32 from 32 to 2,147,483,616.
    pub fn new(bitset: &'a mut [u8]) -> Result<Self, ReadError> {
        Header::new(bitset.len())?;
        Ok(Self {
            blocks: bitset.as_chunks_mut().0,
            kernel: KernelToken::best(),
        })
    }

    /// Adds a key, which is the plain encoding of a value.
    #[inline]
    pub fn insert(&mut self, key: &[u8]) {
        self.insert_hash(xxh64(key, 0));
    }

    /// Adds a value of this hash, which is [`PhysicalValue::hash`]'s.
    #[inline]
    pub fn insert_hash(&mut self, hash: u64) {
        blocks::insert_hash(self.kernel, self.blocks, hash);
    }

    /// Adds many keys, the fastest way. A page of numbers in plain encoding is [`PackedKeys`](crate::PackedKeys).
    pub fn insert_batch<'k>(&mut self, keys: impl Into<KeyBatch<'k>>) {
        let batch = keys.into();
        match batch.for_kernels() {
            Some(keys) => blocks::insert(self.kernel, self.blocks, WideSource::Keys(keys)),
            None => self.insert_hashes(batch.iter().map(|key| xxh64(key, 0))),
        }
    }

    /// Adds values of these hashes.
    pub fn insert_hashes(&mut self, hashes: impl IntoIterator<Item = u64>) {
        for_each_batch(hashes.into_iter(), |hashes| {
            blocks::insert(self.kernel, self.blocks, WideSource::Hashes(hashes));
        });
    }

    /// Adds the values of another filter, as if they had been inserted into this one.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfDomain`] when the other one's length is not a multiple of this one's; this one is then unchanged.
    pub fn merge(&mut self, other: &SplitBlockFilter<'_>) -> Result<(), Error> {
        let count = self.blocks.len();
        if !other.blocks.len().is_multiple_of(count) {
            return Err(Error::OutOfDomain {
                what: "length of the filter that is merged",
                given: other.bitset().len() as f64,
                allowed: "a multiple of this filter's length",
            });
        }
        let groups = other.blocks.chunks_exact(other.blocks.len() / count);
        for (block, group) in self.blocks.iter_mut().zip(groups) {
            group.iter().for_each(|other| unite(block, other));
        }
        Ok(())
    }

    /// Shortens the filter as far as a rate allows, and returns the bit set, which is now a prefix of the slice given.
    ///
    /// A fold halves the filter: two blocks beside each other become one, which has the ones of both. Since blocks are chosen
    /// by multiplication, that is the filter which the same values make in half of the blocks; no value is lost. As many folds
    /// are done as leave an even number of blocks before each, and the estimated rate at or below `rate`. The estimate is
    /// arrow-rs' and Arrow C++'s: of a share `f` of ones in all, `(1 - (1 - f)^(2^folds))^8`. It takes the ones for evenly
    /// spread and so is lower than what [`FilterView`](crate::view::FilterView) says of the result.
    pub fn fold_to_rate(self, rate: f64) -> &'a mut [u8] {
        let Self { blocks, .. } = self;
        let bytes = blocks.as_flattened();
        let mut zeros = 1.0 - count_ones(bytes) as f64 / (bytes.len() as f64 * 8.0);
        let mut group = 1;
        while (blocks.len() / group).is_multiple_of(2) {
            zeros *= zeros;
            if eighth_power(1.0 - zeros) <= rate {
                group *= 2;
            } else {
                break;
            }
        }
        let folded = blocks.len() / group;
        for i in 0..folded {
            // Reads at and behind what it writes.
            let mut united = [0; BLOCK_LEN];
            for block in blocks.iter().skip(i * group).take(group) {
                unite(&mut united, block);
            }
            if let Some(block) = blocks.get_mut(i) {
                *block = united;
            }
        }
        let bytes = blocks.as_flattened_mut();
        bytes.get_mut(..folded * BLOCK_LEN).unwrap_or_default()
    }

    /// Returns the filter as it is so far.
    pub fn as_filter(&self) -> SplitBlockFilter<'_> {
        SplitBlockFilter {
            blocks: self.blocks,
            kernel: self.kernel,
        }
    }
}

impl fmt::Debug for SplitBlockFilterMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SplitBlockFilterMut({} blocks)", self.blocks.len())
    }
}

/// The ones of both.
fn unite(block: &mut Block, other: &Block) {
    for (byte, other) in block.iter_mut().zip(other) {
        *byte |= other;
    }
}

fn eighth_power(x: f64) -> f64 {
    let fourth = (x * x) * (x * x);
    fourth * fourth
}
