//! The bits of a filter in memory: 64-bit words. Bit i is bit i mod 64, from the least significant, of word i / 64.
//!
//! Knows nothing of keys, hashes or streams.

use alloc::vec::Vec;
use core::fmt;

use crate::arch;
use crate::error::Error;
use crate::modulus::Modulus;
use crate::stats::SAMPLE;

/// The largest number of 64-bit words, the limit of a Java array.
pub(crate) const MAX_WORD_COUNT: u32 = i32::MAX as u32;

/// The size of a word in bytes.
pub(crate) const WORD: usize = 8;

/// The words in 256 KiB, the L2 cache of small processors. On an AMD EPYC core with 1 MiB of L2, batches that fetch
/// ahead took 1.3 times as long as single calls for insertions and present keys in a filter of 122 KiB, and 0.5 to 0.8
/// at 1.2 MiB.
pub(crate) const NEAR: usize = 1 << 15;

/// A word of a filter: `u64`, or an atomic word if threads share the bits.
pub trait Word: Default + From<u64> {
    /// Is true if threads share the word.
    const IS_SHARED: bool;

    /// Returns the bits.
    fn value(&self) -> u64;
}

impl Word for u64 {
    const IS_SHARED: bool = false;

    #[inline]
    fn value(&self) -> u64 {
        *self
    }
}

/// The bits, and their number as the modulus of positions.
pub(crate) struct Bits<W = u64> {
    words: Vec<W>,
    modulus: Modulus,
}

/// Shows the number of bits; not the bits, which may be many.
impl<W> fmt::Debug for Bits<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bits", self.words.len() * 64)
    }
}

/// Compares atomic words as each is when it is read.
impl<W: Word> PartialEq for Bits<W> {
    fn eq(&self, other: &Self) -> bool {
        self.words.len() == other.words.len() && self.values().eq(other.values())
    }
}

impl<W: Word> Eq for Bits<W> {}

impl<W: Clone> Clone for Bits<W> {
    fn clone(&self) -> Self {
        self.copy(W::clone)
    }
}

impl<W> Bits<W> {
    /// Allocates words of zeros, the default value of a word.
    pub(crate) fn zeros(words: usize) -> Result<Self, Error>
    where
        W: Default,
    {
        let mut zeros = Vec::new();
        Error::reserve(&mut zeros, words)?;
        arch::prefer_huge_pages(&mut zeros);
        zeros.resize_with(words, W::default);
        Self::from_words(zeros)
    }

    pub(crate) fn from_words(words: Vec<W>) -> Result<Self, Error> {
        let given = words.len() as u64;
        let bits = (1..=u64::from(MAX_WORD_COUNT))
            .contains(&given)
            .then_some(given * 64);
        match bits.and_then(Modulus::new) {
            Some(modulus) => Ok(Self { words, modulus }),
            None => Err(Error::argument(
                "the word count",
                "between 1 and 2147483647",
                given,
            )),
        }
    }

    /// Returns true if the bits fit into the nearest caches, where batches have nothing to wait for.
    pub(crate) fn are_near(&self) -> bool {
        self.words.len() <= NEAR
    }

    #[inline]
    pub(crate) fn words(&self) -> &[W] {
        &self.words
    }

    pub(crate) fn into_words(self) -> Vec<W> {
        self.words
    }

    /// Converts the bits to words of another kind. If both kinds have the same layout, the memory is reused, because
    /// the standard library then collects in place.
    pub(crate) fn map<V>(self, word: impl FnMut(W) -> V) -> Bits<V> {
        Bits {
            words: self.words.into_iter().map(word).collect(),
            modulus: self.modulus,
        }
    }

    /// Copies the bits to words of another kind.
    pub(crate) fn copy<V>(&self, word: impl FnMut(&W) -> V) -> Bits<V> {
        let mut words = Vec::with_capacity(self.words.len());
        arch::prefer_huge_pages(&mut words);
        words.extend(self.words.iter().map(word));
        Bits {
            words,
            modulus: self.modulus,
        }
    }

    /// Returns the number of bits.
    #[inline]
    pub(crate) const fn len(&self) -> u64 {
        self.modulus.get()
    }

    /// Returns the number of bits as the modulus of positions.
    #[inline]
    pub(crate) const fn modulus(&self) -> Modulus {
        self.modulus
    }
}

impl<W: Word> Bits<W> {
    /// Returns the number of ones.
    pub(crate) fn ones(&self) -> u64 {
        self.values().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns the share of ones in words that lie at equal distances, as many as a sample has.
    pub(crate) fn sampled_ones(&self) -> f64 {
        let words = self.values().step_by((self.words.len() / SAMPLE).max(1));
        let (ones, count) = words.fold((0, 0), |(ones, count), word| {
            (ones + word.count_ones(), count + 1_u32)
        });
        f64::from(ones) / (64.0 * f64::from(count))
    }

    /// Iterates over the words and reads each when it is reached.
    pub(crate) fn values(&self) -> impl Iterator<Item = u64> {
        self.words.iter().map(Word::value)
    }

    /// Sets every bit that is set in the other.
    pub(crate) fn add(&mut self, other: &Self) {
        for (ours, theirs) in self.words.iter_mut().zip(other.values()) {
            *ours = W::from(ours.value() | theirs);
        }
    }

    /// Returns true if the bit at this position is set.
    #[inline]
    pub(crate) fn test(&self, position: u64) -> bool {
        let (word, mask) = place(position);
        self.words.get(word).is_some_and(|word| word.value() & mask != 0)
    }

    /// Prefetches the word of a bit.
    #[inline]
    pub(crate) fn prefetch(&self, position: u64) {
        let (word, _) = place(position);
        if let Some(word) = self.words.get(word) {
            arch::prefetch(word);
        }
    }
}

impl Bits {
    /// Sets the bit at this position. Returns true if it was a zero.
    #[inline]
    pub(crate) fn set(&mut self, position: u64) -> bool {
        let (word, mask) = place(position);
        self.words.get_mut(word).is_some_and(|word| {
            let changed = *word & mask == 0;
            *word |= mask;
            changed
        })
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Clears every bit that is not set in the other.
    pub(crate) fn keep(&mut self, other: &Self) {
        for (ours, theirs) in self.words.iter_mut().zip(&other.words) {
            *ours &= theirs;
        }
    }
}

/// Returns the index of the word of a bit, and the mask of the bit within it.
#[inline]
pub(crate) fn place(position: u64) -> (usize, u64) {
    // Every position is below 64 times the number of words, so its word has an index.
    let word = usize::try_from(position >> 6).unwrap_or(usize::MAX);
    (word, 1 << (position & 63))
}
