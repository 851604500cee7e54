//! A filter that many threads fill at once, without locks. `atomic_bits.rs` has the memory orderings.

use alloc::vec::Vec;
use core::fmt;

use super::bits::{BLOCK_LEN, Blocks};
use super::{BloomFilter, Parameters, insert, shape};
use crate::arch;
use crate::atomic_bits::{self, AtomicU64};
use crate::bits::Word;
use crate::envelope::Reader;
use crate::error::Error;
use crate::hash::Xxph3;
use crate::random::scale;
use filter_formats::parquet::block_may_match;

/// A [`BloomFilter`] that many threads share: they insert through a shared reference, without locks.
///
/// The bits equal those of a [`BloomFilter`] with the same keys, whatever the order and the number of threads.
/// Available on targets with 64-bit atomic operations.
///
/// ```
/// use membership_filters::{BloomFilter, ConcurrentBloomFilter};
/// use std::thread;
///
/// let seen = ConcurrentBloomFilter::with_capacity(1000, 0.01)?;
/// thread::scope(|scope| {
///     for part in [["apple", "pear"], ["pear", "plum"]] {
///         let seen = &seen;
///         scope.spawn(move || part.map(|fruit| seen.insert(fruit)));
///     }
/// });
/// assert!(seen.contains("plum"));
///
/// let mut alone = BloomFilter::with_capacity(1000, 0.01)?;
/// alone.insert_many(["apple", "pear", "plum"]);
/// assert_eq!(seen.into_sequential(), alone);
/// # Ok::<(), membership_filters::Error>(())
/// ```
///
/// # What threads may rely on
///
/// "Happens before" has its meaning in Rust's memory model: the same thread did it earlier, or a join, a lock, a
/// channel, or a release store read by an acquire load lies between.
///
/// - No bit is lost or ever reset: bits only go from zero to one.
/// - **After `insert`** every `contains` of the key that the call happens before returns true, whatever `insert` returned.
/// - **`insert` is true**: a bit of the key was zero until this call set it. So no insertion of an equal key had
///   returned when this call began.
/// - **`insert` is false**: every bit of the key was already set, by calls that have returned or are still under way, for
///   equal or other keys. So false does not mean that another insertion of the key has returned.
/// - **Two threads that insert the same absent key at once**: at least one call returns true, and both do if
///   each sets some of the bits. As in every Bloom filter, neither does if other keys have set all of the bits. A caller that
///   acts on "true" therefore acts at least once for each key that the filter did not already seem to contain, and perhaps twice
///   if two threads insert the key at the same moment. Exactly once is impossible with shared bits.
/// - **`contains` is false**: no insertion of the key happened before this call. **True**: calls that this one happens before
///   return true as well. A query for a key whose insertion is under way may return either answer.
/// - The order of insertions is not visible without synchronization. If one key is found, this says nothing about
///   keys that the other thread inserted before it, nor about anything else that it wrote before.
pub struct ConcurrentBloomFilter<F = Xxph3> {
    funnel: F,
    parameters: Parameters,
    blocks: Vec<Block>,
}

/// A block, in one cache line.
#[repr(align(32))]
#[derive(Default)]
struct Block([AtomicU64; BLOCK_LEN / 8]);

shape::common!(ConcurrentBloomFilter);

/// Shows the size; not the bits, which may be many.
impl<F: fmt::Debug> fmt::Debug for ConcurrentBloomFilter<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConcurrentBloomFilter")
            .field("funnel", &self.funnel)
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}

/// Compares the words as each is when it is read.
impl<F: PartialEq> PartialEq for ConcurrentBloomFilter<F> {
    fn eq(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.words().map(Word::value), other.words().map(Word::value));
        self.funnel == other.funnel && self.parameters == other.parameters && ours.eq(theirs)
    }
}

impl<F: Eq> Eq for ConcurrentBloomFilter<F> {}

/// Returns the bits of a key in the words of its block.
#[inline]
fn bits_of(hash: u64) -> impl Iterator<Item = u64> {
    let mut block = [0; BLOCK_LEN];
    insert(&mut block, |filter| filter.insert_raw_hash(hash));
    let (words, _) = block.as_chunks();
    core::array::from_fn::<_, { BLOCK_LEN / 8 }, _>(|at| {
        words.get(at).map_or(0, |&word| u64::from_le_bytes(word))
    })
    .into_iter()
}

impl<F> ConcurrentBloomFilter<F> {
    /// Creates an empty filter.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    pub fn new(funnel: F, parameters: &Parameters) -> Result<Self, Error> {
        let mut blocks = Vec::new();
        let count = usize::try_from(parameters.blocks()).unwrap_or(usize::MAX);
        Error::reserve(&mut blocks, count)?;
        blocks.resize_with(count, Block::default);
        let parameters = *parameters;
        Ok(Self {
            funnel,
            parameters,
            blocks,
        })
    }

    /// Returns the words of the block of a key.
    #[inline]
    fn block(&self, hash: u64) -> Option<&Block> {
        // As the kernels choose it.
        let index = scale(hash >> 32 << 32, self.blocks.len() as u64);
        self.blocks.get(usize::try_from(index).ok()?)
    }

    #[inline]
    fn insert_raw(&self, hash: u64) -> bool {
        let words = self.block(hash).into_iter().flat_map(|block| &block.0);
        let set = |any, (word, bits)| any | atomic_bits::set(word, bits);
        words.zip(bits_of(hash)).fold(false, set)
    }

    #[inline]
    fn contains_raw(&self, hash: u64) -> bool {
        match self.block(hash) {
            Some(Block(words)) => block_may_match(|index| words[index].value(), hash),
            None => true,
        }
    }

    /// Fetches the blocks of some keys ahead.
    fn prefetch(&self, hashes: &[u64]) {
        let blocks = hashes.iter().filter_map(|&hash| self.block(hash));
        blocks.for_each(arch::prefetch);
    }

    fn insert_batch(&self, hashes: &[u64]) {
        for hashes in hashes.chunks(TOGETHER) {
            self.prefetch(hashes);
            hashes.iter().for_each(|&hash| _ = self.insert_raw(hash));
        }
    }

    fn contains_batch(&self, hashes: &[u64], answers: &mut Vec<bool>) {
        for hashes in hashes.chunks(TOGETHER) {
            self.prefetch(hashes);
            answers.extend(hashes.iter().map(|&hash| self.contains_raw(hash)));
        }
    }

    /// Merges all keys of `other` into this filter. Other threads may keep using both. A [`BloomFilter`] becomes a
    /// concurrent filter by `into`.
    ///
    /// - **Afterwards** this filter contains every key whose insertion into `other` happened before this call, and
    ///   has lost no bit.
    /// - If an insertion into `other` is under way or comes later, all, some or none of the key's bits are merged.
    /// - Words are merged one after the other: a concurrent query finds some keys of `other` and misses some.
    ///
    /// # Errors
    ///
    /// The errors of [`check_compatible`](Self::check_compatible), which leave the filter unchanged.
    pub fn merge(&self, other: &Self) -> Result<(), Error>
    where
        F: PartialEq + fmt::Debug,
    {
        self.check_compatible(other)?;
        for (ours, theirs) in self.words().zip(other.words()) {
            atomic_bits::set(ours, theirs.value());
        }
        Ok(())
    }

    fn read(reader: &mut Reader<'_>, funnel: F) -> Result<Self, Error> {
        BloomFilter::read(reader, funnel).map(Into::into)
    }

    fn words(&self) -> impl Iterator<Item = &AtomicU64> {
        self.blocks.iter().flat_map(|block| &block.0)
    }

    /// Copies the blocks as they are now.
    fn copy(&self) -> Blocks {
        let mut copy = Blocks::with_len(self.blocks.len() * BLOCK_LEN);
        for (place, word) in copy.as_mut_slice().as_chunks_mut().0.iter_mut().zip(self.words()) {
            *place = word.value().to_le_bytes();
        }
        copy
    }

    fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R {
        then(self.copy().as_slice())
    }

    /// Returns a copy of the filter as it is now.
    ///
    /// The copy contains every key whose insertion happened before this call, and all, some or none of the bits of
    /// concurrent insertions. It may therefore contain a key but lack one that the same thread inserted earlier.
    /// It takes as much memory as the filter; like `clone`, this aborts if the memory is not available.
    #[must_use]
    pub fn snapshot(&self) -> BloomFilter<F>
    where
        F: Clone,
    {
        BloomFilter {
            funnel: self.funnel.clone(),
            parameters: self.parameters,
            blocks: self.copy(),
        }
    }

    /// Converts the filter to a [`BloomFilter`] with every inserted key. Ownership proves that no other thread is
    /// using it.
    #[must_use]
    pub fn into_sequential(self) -> BloomFilter<F> {
        BloomFilter {
            blocks: self.copy(),
            funnel: self.funnel,
            parameters: self.parameters,
        }
    }
}

/// The number of keys whose blocks are fetched together.
const TOGETHER: usize = 64;

impl<F> From<BloomFilter<F>> for ConcurrentBloomFilter<F> {
    fn from(filter: BloomFilter<F>) -> Self {
        let word = |&word: &[u8; 8]| AtomicU64::new(u64::from_le_bytes(word));
        let (blocks, _) = filter.blocks.as_slice().as_chunks::<BLOCK_LEN>();
        let block = |block: &[u8; BLOCK_LEN]| {
            let (words, _) = block.as_chunks();
            Block(core::array::from_fn(|at| {
                words.get(at).map(word).unwrap_or_default()
            }))
        };
        Self {
            blocks: blocks.iter().map(block).collect(),
            funnel: filter.funnel,
            parameters: filter.parameters,
        }
    }
}
