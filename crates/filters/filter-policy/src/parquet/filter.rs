//! Borrowed filters in Parquet's stored form.

use core::fmt;

use crate::answers::fill;
use crate::building::for_each_batch;
#[cfg(feature = "alloc")]
use crate::building::parts::PartSizes;
use crate::formats::split_block::bits::{self, Block, BlockHash as _, SplitBlocks, Xxh64};
use crate::formats::split_block::build;
#[cfg(feature = "alloc")]
use crate::formats::split_block::large::InParts;
use crate::simd::{KernelToken, Source, StoredBits as _};
use crate::{Answers, KeyBatch};
use hashzoo::xxh64;

use super::header::Header;
use super::value::PhysicalValue;
use crate::error::Error;
#[cfg(feature = "alloc")]
use crate::error::outside;

/// A filter for queries: a borrowed bit set of a valid length.
///
/// The kernel is selected once, at construction. To query many keys in one call, prepare the
/// [`bitset`](Self::bitset) by [`ParquetPolicy`](super::ParquetPolicy); to look one value up in many filters, see [`PhysicalValue::may_match_each`]; for size, fill and rate, pass
/// [`bitset`](Self::bitset) to a [`FilterView`](crate::view::FilterView).
///
/// ```
/// use filter_policy::parquet::SplitBlockFilter;
/// use filter_policy::view::FilterView;
/// use filter_policy::{Error, formats};
///
/// // `hello` and `world`, as a Parquet file has them: the header, then a block.
/// let stored = [
///     0x15, 0x40, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0, // 32 bytes follow.
///     0x00, 0x00, 0x30, 0x00, 0x00, 0x02, 0x00, 0x02, 0x10, 0x04, 0x00, 0x00, 0xa0, 0x00, 0x00, 0x00, //
///     0x20, 0x02, 0x00, 0x00, 0x00, 0x00, 0x80, 0x80, 0x00, 0x00, 0x20, 0x10, 0x00, 0x00, 0x01, 0x08,
/// ];
/// let filter = SplitBlockFilter::read(&stored)?;
/// assert!(filter.may_match(b"hello") && !filter.may_match(b"foo"));
/// let view = FilterView::new(formats::SPLIT_BLOCK, filter.bitset());
/// assert_eq!(view.estimated_len(), Some(2));
///
/// assert_eq!(SplitBlockFilter::read(&stored[..40]).unwrap_err(), Error::Truncated { needed: 47, given: 40 });
/// assert_eq!(SplitBlockFilter::new(&[0; 33]).unwrap_err(), Error::BitsetLength { given: 33 });
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct SplitBlockFilter<'a> {
    /// The blocks, at least one.
    blocks: &'a [Block],
    kernel: KernelToken,
}

impl<'a> SplitBlockFilter<'a> {
    /// Wraps a bit set without a header; accepts any bytes of a valid length.
    ///
    /// # Errors
    ///
    /// [`Error::BitsetLength`] when the length is not a multiple of 32 from 32 to 2,147,483,616.
    #[inline]
    pub fn new(bitset: &'a [u8]) -> Result<Self, Error> {
        Header::new(bitset.len())?;
        Ok(Self {
            blocks: bitset.as_chunks().0,
            kernel: KernelToken::best(),
        })
    }

    /// Reads a header and a bit set, as stored in a Parquet file at a column's `bloom_filter_offset`. Trailing bytes
    /// are ignored.
    ///
    /// # Errors
    ///
    /// [`Error::ParquetHeader`], [`Error::UnknownToParquet`], [`Error::BitsetLength`], [`Error::Truncated`].
    pub fn read(stored: &'a [u8]) -> Result<Self, Error> {
        let (header, start) = Header::read(stored)?;
        let needed = start as u64 + u64::from(header.bitset_len());
        let bitset = usize::try_from(needed)
            .ok()
            .and_then(|end| stored.get(start..end));
        Self::new(bitset.ok_or(Error::Truncated {
            needed,
            given: stored.len() as u64,
        })?)
    }

    /// Returns the bit set, without a header.
    pub const fn bitset(&self) -> &'a [u8] {
        self.blocks.as_flattened()
    }

    #[inline(always)]
    const fn stored(&self) -> SplitBlocks<'a, Xxh64> {
        SplitBlocks::new(self.blocks)
    }

    /// Returns true if the filter may contain a key, the plain encoding of a value, and false if the key is certainly
    /// absent.
    #[inline]
    pub fn may_match(&self, key: &[u8]) -> bool {
        self.may_match_raw_hash(Xxh64::hash(key))
    }

    /// Returns true if the filter may contain a value that compares equal to this one.
    ///
    /// Calls [`may_match_raw_hash`](Self::may_match_raw_hash) with the value's hash, with two exceptions: a zero is
    /// looked up with both signs, and a NaN always may match, because the bits it was written with are unknown. To look
    /// one value up in many filters, see [`PhysicalValue::may_match_each`].
    pub fn may_match_value(&self, value: PhysicalValue<'_>) -> bool {
        value.equals().is_none_or(|[one, other]| {
            self.may_match_raw_hash(one) || one != other && self.may_match_raw_hash(other)
        })
    }

    #[inline]
    pub(super) const fn blocks(&self) -> &'a [Block] {
        self.blocks
    }

    /// Returns true if the filter may contain a value with this hash, computed by [`PhysicalValue::hash`].
    #[inline(always)]
    pub fn may_match_raw_hash(&self, hash: u64) -> bool {
        self.stored().may_match(self.kernel, hash)
    }

    /// Queries many values by these hashes, computed by [`PhysicalValue::hash`]. Filters that are not in the cache are
    /// prefetched.
    ///
    /// ```
    /// use filter_policy::parquet::{PhysicalValue, SplitBlockFilter, SplitBlockFilterMut};
    /// use filter_policy::Answers;
    ///
    /// let hashes = [1, 2, 3].map(|id| PhysicalValue::Int32(id).hash());
    /// let mut bitset = [0; 32];
    /// SplitBlockFilterMut::new(&mut bitset)?.insert_raw_hashes([hashes[0], hashes[2]]);
    ///
    /// let mut words = [0; 1];
    /// let mut answers = Answers::new(&mut words);
    /// SplitBlockFilter::new(&bitset)?.may_match_raw_hashes(&hashes, &mut answers)?;
    /// assert!(answers.iter().eq([true, false, true]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TooFewAnswers`](crate::Error::TooFewAnswers) when there is no room for as many answers; then there are
    /// none.
    pub fn may_match_raw_hashes(&self, hashes: &[u64], answers: &mut Answers<'_>) -> Result<(), Error> {
        let words = answers.start(hashes.len())?;
        self.stored()
            .may_match_many(self.kernel, Source::Hashes(hashes), words);
        Ok(())
    }
}

/// Returns true if a block may contain a value with this hash, for blocks in another form than bytes: `word` returns
/// each of the block's four words of 64 bits, from 0 on, whose bytes are the block's from the least significant on.
///
/// ```
/// use filter_policy::parquet::{SplitBlockFilterMut, block_may_match};
///
/// let mut block = [0; 32];
/// SplitBlockFilterMut::new(&mut block)?.insert_raw_hash(7);
/// let words: Vec<u64> = block.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
/// assert!(block_may_match(|index| words[index], 7) && !block_may_match(|_| 0, 7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[inline(always)]
pub fn block_may_match(word: impl Fn(usize) -> u64, hash: u64) -> bool {
    bits::words_may_match(KernelToken::best(), word, hash)
}

/// Returns the bits of a hash value in the four words of its block, in the order of [`block_may_match`]: for blocks that
/// threads share.
///
/// ```
/// use filter_policy::parquet::{SplitBlockFilterMut, block_bits};
///
/// let mut block = [0; 32];
/// SplitBlockFilterMut::new(&mut block)?.insert_raw_hash(7);
/// assert_eq!(block_bits(7).map(u64::to_le_bytes).as_flattened(), block);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[inline(always)]
pub fn block_bits(hash: u64) -> [u64; 4] {
    bits::words_of(hash)
}

/// Queries of one value in many filters.
impl PhysicalValue<'_> {
    /// Returns which of these filters may contain a value that compares equal to this one, in their order: what
    /// [`SplitBlockFilter::may_match_value`] answers for each. Prefetches the blocks of 64 filters.
    ///
    /// ```
    /// use filter_policy::parquet::{PhysicalValue, SplitBlockFilter, SplitBlockFilterMut};
    /// use filter_policy::Answers;
    ///
    /// // Of two row groups, the first has a negative zero.
    /// let mut groups = [[0; 32]; 2];
    /// SplitBlockFilterMut::new(&mut groups[0])?.insert_raw_hash(PhysicalValue::Double(-0.0).hash());
    /// let filters = [SplitBlockFilter::new(&groups[0])?, SplitBlockFilter::new(&groups[1])?];
    ///
    /// let mut words = [0; 1];
    /// let mut answers = Answers::new(&mut words);
    /// PhysicalValue::Double(0.0).may_match_each(&filters, &mut answers)?;
    /// assert!(answers.iter().eq([true, false]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TooFewAnswers`](crate::Error::TooFewAnswers) when there is no room for as many answers; then there are
    /// none.
    pub fn may_match_each(
        self,
        filters: &[SplitBlockFilter<'_>],
        answers: &mut Answers<'_>,
    ) -> Result<(), Error> {
        let words = answers.start(filters.len())?;
        let Some([one, other]) = self.equals() else {
            fill(true, filters.len(), words);
            return Ok(());
        };
        for (word, filters) in words.iter_mut().zip(filters.chunks(64)) {
            let mut found: [&[Block]; 64] = [&[]; 64];
            for (found, filter) in found.iter_mut().zip(filters) {
                *found = filter.blocks();
            }
            let found = found.get(..filters.len()).unwrap_or_default();
            *word = bits::may_match_each(KernelToken::best(), found, one);
            if other != one {
                *word |= bits::may_match_each(KernelToken::best(), found, other);
            }
        }
        Ok(())
    }
}

impl fmt::Debug for SplitBlockFilter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SplitBlockFilter({} blocks)", self.blocks.len())
    }
}

/// A filter under construction: a borrowed bit set, without an allocator.
///
/// ```
/// use filter_policy::parquet::{PhysicalValue, SplitBlockFilter, SplitBlockFilterMut, bitset_len_for_rate};
///
/// let mut bitset = [0; 4 * 32];
/// let mut filter = SplitBlockFilterMut::new(&mut bitset)?;
/// filter.insert_many(&[*b"one", *b"two"]);
/// filter.insert_raw_hashes([1, 2, 3].map(|id| PhysicalValue::Int32(id).hash()));
///
/// // There is room to spare: one block of the four is enough.
/// let folded = filter.fold_to_len(bitset_len_for_rate(5, 0.01)? as usize)?;
/// assert_eq!(folded.len(), 32);
/// assert!(SplitBlockFilter::new(&folded)?.may_match(b"two"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SplitBlockFilterMut<'a> {
    /// The blocks, at least one.
    blocks: &'a mut [Block],
    kernel: KernelToken,
}

impl<'a> SplitBlockFilterMut<'a> {
    /// Wraps a bit set to add values to; all zeros are an empty filter.
    ///
    /// # Errors
    ///
    /// [`Error::BitsetLength`] when the length is not a multiple of 32 from 32 to 2,147,483,616.
    pub fn new(bitset: &'a mut [u8]) -> Result<Self, Error> {
        Header::new(bitset.len())?;
        Ok(Self {
            blocks: bitset.as_chunks_mut().0,
            kernel: KernelToken::best(),
        })
    }

    /// Adds a value with this hash, computed by [`PhysicalValue::hash`].
    #[inline]
    pub fn insert_raw_hash(&mut self, hash: u64) {
        build::insert_hash(self.kernel, self.blocks, hash);
    }

    /// Adds many keys; the fastest method. A page of numbers in plain encoding is
    /// [`PackedKeys`](crate::PackedKeys).
    pub fn insert_many<'k>(&mut self, keys: impl Into<KeyBatch<'k>>) {
        let batch = keys.into();
        match batch.for_kernels() {
            Some(keys) => build::insert::<Xxh64>(self.kernel, self.blocks, Source::Keys(keys)),
            None => self.insert_raw_hashes(batch.iter().map(|key| xxh64(key, 0))),
        }
    }

    /// Adds values with these hashes. With the feature `alloc`, a bit set of 64 MiB or more is filled a part at a time if
    /// the iterator announces at least a value for each 32 bytes: this takes half of the time, and half of the length in
    /// additional memory, if there is as much. If the iterator panics, values before that may be missing.
    pub fn insert_raw_hashes(&mut self, hashes: impl IntoIterator<Item = u64>) {
        let hashes = hashes.into_iter();
        #[cfg(feature = "alloc")]
        if let Some(mut building) =
            InParts::new(PartSizes::BEST, self.kernel, self.blocks, hashes.size_hint().0)
        {
            for_each_batch(hashes, |hashes| building.add(hashes));
            return building.finish();
        }
        for_each_batch(hashes, |hashes| {
            build::insert::<Xxh64>(self.kernel, self.blocks, Source::Hashes(hashes));
        });
    }

    /// Returns the bit set of a filter of the same values with this number of bytes. Blocks are chosen by multiplication, so
    /// a filter with half as many blocks has the union of each pair of adjacent blocks. This filter stays as it is.
    ///
    /// [`bitset_len_for_rate`](super::bitset_len_for_rate) returns the length for a rate; the next power of two is one
    /// that a filter of such a length can be folded to.
    ///
    /// # Errors
    ///
    /// [`Error::BitsetLength`]; [`Error::OutOfDomain`] when this filter is not twice as long, or four times, and so on, or as
    /// long; [`Error::AllocationFailed`].
    #[cfg(feature = "alloc")]
    pub fn fold_to_len(&self, bytes: usize) -> Result<alloc::vec::Vec<u8>, Error> {
        let len = self.blocks.as_flattened().len();
        Header::new(bytes)?;
        match len / bytes {
            group if group.is_power_of_two() && group * bytes == len => self.fold(group),
            _ => {
                let allowed = "this filter's length, its half, and so on";
                Err(outside("length of the folded filter", bytes as f64, allowed))
            }
        }
    }

    /// Returns the bit set of the unions of groups of so many adjacent blocks.
    #[cfg(feature = "alloc")]
    fn fold(&self, group: usize) -> Result<alloc::vec::Vec<u8>, Error> {
        let bytes = self.blocks.as_flattened().len() / group;
        let mut bitset = alloc::vec::Vec::new();
        bitset
            .try_reserve_exact(bytes)
            .map_err(|_| Error::AllocationFailed { bytes })?;
        bitset.resize(bytes, 0);
        let folded: &mut [Block] = bitset.as_chunks_mut().0;
        for (block, group) in folded.iter_mut().zip(self.blocks.chunks_exact(group)) {
            group.iter().for_each(|other| unite(block, other));
        }
        Ok(bitset)
    }
}

impl fmt::Debug for SplitBlockFilterMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SplitBlockFilterMut({} blocks)", self.blocks.len())
    }
}

/// Adds the ones of `other` to `block`.
#[cfg(feature = "alloc")]
fn unite(block: &mut Block, other: &Block) {
    for (byte, other) in block.iter_mut().zip(other) {
        *byte |= other;
    }
}
