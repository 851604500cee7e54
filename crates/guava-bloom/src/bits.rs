//! The bits of a filter in memory: 64-bit words, bit i being bit i mod 64, from the least significant, of word i / 64.
//!
//! Knows nothing of elements, hashes or streams.

use alloc::vec::Vec;

use crate::error::ParameterError;
use crate::modulus::Modulus;
use crate::parameters::MAX_WORDS;

/// Bits, and how to find them by a number of 63 bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    modulus: Modulus,
}

impl Bits {
    /// So many words of zeros.
    pub(crate) fn zeros(words: usize) -> Result<Self, ParameterError> {
        let mut zeros = Vec::new();
        zeros
            .try_reserve_exact(words)
            .map_err(|_| ParameterError::OutOfMemory {
                bytes: words as u64 * 8,
            })?;
        zeros.resize(words, 0);
        Self::from_words(zeros)
    }

    pub(crate) fn from_words(words: Vec<u64>) -> Result<Self, ParameterError> {
        let given = words.len() as u64;
        let bits = (1..=u64::from(MAX_WORDS)).contains(&given).then_some(given * 64);
        match bits.and_then(Modulus::new) {
            Some(modulus) => Ok(Self { words, modulus }),
            None => Err(ParameterError::WordCount { given }),
        }
    }

    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// The number of bits, as what positions are remainders by.
    #[inline]
    pub(crate) const fn modulus(&self) -> Modulus {
        self.modulus
    }

    /// How many bits are ones.
    pub(crate) fn ones(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Whether the bit is one that this number points to.
    #[inline]
    pub(crate) fn test(&self, dividend: u64) -> bool {
        let (word, mask) = place(self.modulus.remainder(dividend));
        self.words.get(word).is_some_and(|word| word & mask != 0)
    }

    /// Sets the bit that this number points to; whether it was a zero.
    #[inline]
    pub(crate) fn set(&mut self, dividend: u64) -> bool {
        let (word, mask) = place(self.modulus.remainder(dividend));
        self.words.get_mut(word).is_some_and(|word| {
            let changed = *word & mask == 0;
            *word |= mask;
            changed
        })
    }

    /// Sets every bit that is set in the other.
    pub(crate) fn set_all(&mut self, other: &Self) {
        for (ours, theirs) in self.words.iter_mut().zip(&other.words) {
            *ours |= theirs;
        }
    }
}

/// The word of a bit, and the bit within it.
#[inline]
pub(crate) fn place(position: u64) -> (usize, u64) {
    // Every position is below 64 times the number of words, so its word has an index.
    let word = usize::try_from(position >> 6).unwrap_or(usize::MAX);
    (word, 1 << (position & 63))
}
