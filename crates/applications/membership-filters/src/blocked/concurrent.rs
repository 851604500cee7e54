//! A filter that many threads fill at once, without locks. `atomic_bits.rs` has the memory orderings.

use alloc::vec::Vec;
use core::fmt;

use super::bits::{BLOCK_LEN, Blocks};
use super::{Blocked, Parameters};
use crate::arch;
use crate::atomic_bits::{self, AtomicU64};
use crate::backend::{Backend, Concurrent, StoredSize};
use crate::bits::Word;
use crate::contents::{Reader, Writer};
use crate::error::Error;
use crate::filter::{Filter, Shared};
use crate::hash::Xxph3;
use crate::random::scale;
use crate::stats::Stats;
use filter_policy::parquet::{block_bits, block_may_match};

/// A [`BlockedBloomFilter`](crate::BlockedBloomFilter) that many threads share: they insert through a shared reference, without locks.
///
/// Take it where several threads add keys whose number is known.
///
/// The bits equal those of a [`BlockedBloomFilter`](crate::BlockedBloomFilter) with the same keys, whatever the order and the number of threads.
/// Available on targets with 64-bit atomic operations.
///
/// ```
/// use membership_filters::{BlockedBloomFilter, ConcurrentBlockedBloomFilter};
/// use std::thread;
///
/// let seen = ConcurrentBlockedBloomFilter::with_capacity(1000, 0.01)?;
/// thread::scope(|scope| {
///     for part in [["apple", "pear"], ["pear", "plum"]] {
///         let seen = &seen;
///         scope.spawn(move || part.map(|fruit| seen.insert(fruit)));
///     }
/// });
/// assert!(seen.contains("plum"));
///
/// let mut alone = BlockedBloomFilter::with_capacity(1000, 0.01)?;
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
/// - **`insert` is true**: this call read a bit of the key as zero. So no insertion of an equal key happened before this
///   call. Another call may have set the bit since.
/// - **`insert` is false**: every bit of the key was already set, by calls that have returned or are still under way, for
///   equal or other keys. So false does not mean that another insertion of the key has returned.
/// - **Threads that insert the same absent key at once**: at least one call returns true, and so does every other that
///   reads the bits before all are set. As in every Bloom filter, none does if other keys have set all of the bits. A caller that
///   acts on "true" therefore acts at least once for each key that the filter did not already seem to contain, and perhaps
///   once for each thread that inserts the key at the same moment. Exactly once is impossible with shared bits.
/// - **`contains` is false**: no insertion of the key happened before this call. **True**: calls that this one happens before
///   return true as well. A query for a key whose insertion is under way may return either answer.
/// - The order of insertions is not visible without synchronization. If one key is found, this says nothing about
///   keys that the other thread inserted before it, nor about anything else that it wrote before.
#[doc(alias = "ConcurrentBloomFilter")]
pub type ConcurrentBlockedBloomFilter<F = Xxph3> = Filter<Blocked<AtomicBlocks>, F, Shared>;

/// Blocks that threads share.
pub struct AtomicBlocks(Vec<Block>);

/// A block, in one cache line.
#[repr(align(32))]
#[derive(Default)]
struct Block([AtomicU64; BLOCK_LEN / 8]);

/// Shows the length; not the bits, which may be many.
impl fmt::Debug for AtomicBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len() * BLOCK_LEN)
    }
}

/// Compares the words as each is when it is read.
impl PartialEq for AtomicBlocks {
    fn eq(&self, other: &Self) -> bool {
        self.words().map(Word::value).eq(other.words().map(Word::value))
    }
}

impl Eq for AtomicBlocks {}

impl AtomicBlocks {
    /// Returns the words of the block of a key.
    #[inline]
    fn block(&self, hash: u64) -> Option<&Block> {
        // As the kernels choose it.
        let index = scale(hash >> 32 << 32, self.0.len() as u64);
        self.0.get(usize::try_from(index).ok()?)
    }

    /// Fetches the blocks of some keys ahead.
    fn prefetch(&self, hashes: &[u64]) {
        let blocks = hashes.iter().filter_map(|&hash| self.block(hash));
        blocks.for_each(arch::prefetch);
    }

    fn words(&self) -> impl Iterator<Item = &AtomicU64> {
        self.0.iter().flat_map(|block| &block.0)
    }

    /// Copies the blocks as they are now.
    fn copy(&self) -> Blocks {
        let mut copy = Blocks::with_len(self.0.len() * BLOCK_LEN);
        for (place, word) in copy.as_mut_slice().as_chunks_mut().0.iter_mut().zip(self.words()) {
            *place = word.value().to_le_bytes();
        }
        copy
    }
}

/// Methods that are not called for each key copy the blocks first.
impl Backend for Blocked<AtomicBlocks> {
    const NAME: &'static str = "ConcurrentBlockedBloomFilter";

    const MAGIC: [u8; 8] = Blocked::<Blocks>::MAGIC;

    const MERGE: Result<fn(&mut Self, &Self), &'static str> =
        Ok(|ours, theirs| Concurrent::merge(ours, theirs));

    type Hash = u64;

    type Funnel = <Blocked as Backend>::Funnel;

    type Parameters = Parameters;

    fn sized(capacity: u64, rate: f64) -> Result<Parameters, Error> {
        Blocked::<Blocks>::sized(capacity, rate)
    }

    fn size(parameters: &Parameters) -> Result<StoredSize, Error> {
        Blocked::<Blocks>::size(parameters)
    }

    fn rate(parameters: &Parameters, keys: u64) -> f64 {
        Blocked::<Blocks>::rate(parameters, keys)
    }

    fn new(parameters: &Parameters) -> Result<Self, Error> {
        let (mut blocks, parameters) = (Vec::new(), *parameters);
        // Below 2^26.
        let count = parameters.blocks() as usize;
        Error::reserve(&mut blocks, count)?;
        blocks.resize_with(count, Block::default);
        let blocks = AtomicBlocks(blocks);
        Ok(Self { parameters, blocks })
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        match self.blocks.block(hash) {
            Some(Block(words)) => block_may_match(|index| words[index].value(), hash),
            None => true,
        }
    }

    fn contains_batch(&self, hashes: &[u64], answers: &mut Vec<bool>) {
        for hashes in hashes.chunks(TOGETHER) {
            self.blocks.prefetch(hashes);
            answers.extend(hashes.iter().map(|&hash| self.contains(hash)));
        }
    }

    fn bits(&self) -> u64 {
        self.parameters.memory_bytes() * 8
    }

    fn stats(&self) -> Stats {
        self.copy().stats()
    }

    fn check_compatible(&self, other: &Self) -> Result<(), Error> {
        self.check_size(other)
    }

    fn contents_len(&self) -> u64 {
        super::FIELDS_LEN + self.parameters.memory_bytes()
    }

    fn write<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E> {
        self.copy().write(writer)
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        Blocked::read(reader).map(Self::from_alone)
    }
}

impl Concurrent for Blocked<AtomicBlocks> {
    type Alone = Blocked;

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        let Some(Block(words)) = self.blocks.block(hash) else {
            return false;
        };
        let bits = block_bits(hash);
        let missing = words
            .iter()
            .zip(bits)
            .fold(0, |missing, (word, bits)| missing | !word.value() & bits);
        // All words or none: a branch for each word could not be predicted.
        if missing != 0 {
            words
                .iter()
                .zip(bits)
                .for_each(|(word, bits)| atomic_bits::add(word, bits));
        }
        missing != 0
    }

    fn insert_batch(&self, hashes: &[u64]) {
        for hashes in hashes.chunks(TOGETHER) {
            self.blocks.prefetch(hashes);
            hashes.iter().for_each(|&hash| _ = self.insert(hash));
        }
    }

    fn merge(&self, other: &Self) {
        for (ours, theirs) in self.blocks.words().zip(other.blocks.words()) {
            atomic_bits::set(ours, theirs.value());
        }
    }

    fn copy(&self) -> Blocked {
        let (parameters, blocks) = (self.parameters, self.blocks.copy());
        Blocked { parameters, blocks }
    }

    fn into_alone(self) -> Blocked {
        self.copy()
    }

    fn from_alone(alone: Blocked) -> Self {
        let (parameters, blocks) = (alone.parameters, alone.blocks.into());
        Self { parameters, blocks }
    }
}

/// The number of keys whose blocks are fetched together.
const TOGETHER: usize = 64;

impl From<Blocks> for AtomicBlocks {
    fn from(blocks: Blocks) -> Self {
        let word = |&word: &[u8; 8]| AtomicU64::new(u64::from_le_bytes(word));
        let (blocks, _) = blocks.as_slice().as_chunks::<BLOCK_LEN>();
        let block = |block: &[u8; BLOCK_LEN]| {
            let (words, _) = block.as_chunks();
            Block(core::array::from_fn(|at| {
                words.get(at).map(word).unwrap_or_default()
            }))
        };
        Self(blocks.iter().map(block).collect())
    }
}
