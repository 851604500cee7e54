//! An array of small unsigned integers of one width, without gaps between them.
//!
//! Independent of the meaning of the integers.

use alloc::vec::Vec;
use core::fmt;

use crate::arch;
use crate::bits::NEAR;
use crate::error::{Error, Violation};

/// Integers of `width` bits each, 1 to 32. Integer *i* takes the bits `i * width` and up; bit *b* is bit `b mod 64` of
/// word `b / 64`, the least significant being bit 0. Bits after the last integer are zero.
#[derive(PartialEq, Eq)]
pub(crate) struct PackedIntegers {
    words: Vec<u64>,
    width: u32,
    len: u64,
}

/// Returns the number of words for the integers, or an error if that many bytes cannot be addressed.
pub(crate) fn word_count(len: u128, width: u32) -> Result<usize, Error> {
    let words = (len * u128::from(width)).div_ceil(64);
    let count = usize::try_from(words).ok();
    let count = count.filter(|_| isize::try_from(words * 8).is_ok() && words <= u128::from(u64::MAX / 64));
    count.ok_or_else(|| {
        let (thing, range) = (
            "the filter's length in bytes",
            format_args!("at most {}", isize::MAX),
        );
        Error::TooLarge(Violation::new(thing, range, words * 8))
    })
}

impl Clone for PackedIntegers {
    fn clone(&self) -> Self {
        let mut words = Vec::with_capacity(self.words.len());
        arch::prefer_huge_pages(&mut words);
        words.extend_from_slice(&self.words);
        Self { words, ..*self }
    }
}

impl PackedIntegers {
    pub(crate) fn zeroed(len: u64, width: u32) -> Result<Self, Error> {
        let count = word_count(len.into(), width)?;
        let mut words = Vec::new();
        Error::reserve(&mut words, count)?;
        arch::prefer_huge_pages(&mut words);
        words.resize(count, 0);
        Ok(Self { words, width, len })
    }

    /// Makes an array from words, as many as `word_count` returns. Returns `None` if a bit after the last integer is
    /// set.
    pub(crate) fn from_words(words: Vec<u64>, len: u64, width: u32) -> Option<Self> {
        debug_assert_eq!(Ok(words.len()), word_count(len.into(), width));
        let used = (len * u64::from(width)) % 64;
        let spare = if used == 0 { 0 } else { u64::MAX << used };
        let clean = words.last().is_none_or(|last| last & spare == 0);
        clean.then_some(Self { words, width, len })
    }

    /// Returns the largest value of an integer.
    #[inline]
    pub(crate) const fn max(&self) -> u64 {
        (1 << self.width) - 1
    }

    /// Returns the number of bits of an integer.
    #[expect(clippy::cast_possible_truncation, reason = "at most 32")]
    pub(crate) const fn width(&self) -> u8 {
        self.width as u8
    }

    pub(crate) const fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the integer at `index`, which must be below the length.
    #[inline]
    pub(crate) fn get(&self, index: u64) -> u64 {
        let (word, shift) = self.place(index);
        let low = self.words[word] >> shift;
        let value = if shift + self.width > 64 {
            low | self.words[word + 1] << (64 - shift)
        } else {
            low
        };
        value & self.max()
    }

    /// Returns the integer at `index` and the three after it, all of which there must be.
    #[inline]
    pub(crate) fn four(&self, index: u64) -> [u64; 4] {
        let at = [0, 1, 2, 3];
        if self.width > 16 {
            return at.map(|i| self.get(index + u64::from(i)));
        }
        // They start in one word and end in it or the next.
        let (word, shift) = self.place(index);
        let next = self.words.get(word + 1).copied().unwrap_or_default();
        let all = self.words[word] >> shift | next << 1 << (63 - shift);
        at.map(|i| all >> (i * self.width) & self.max())
    }

    /// Sets the integer at `index`, which must be below the length, to `value`, which must fit.
    #[inline]
    pub(crate) fn set(&mut self, index: u64, value: u64) {
        debug_assert!(value <= self.max(), "{value} needs more than {} bits", self.width);
        let (word, shift) = self.place(index);
        let mask = self.max();
        self.words[word] = self.words[word] & !(mask << shift) | value << shift;
        if shift + self.width > 64 {
            let above = 64 - shift;
            self.words[word + 1] = self.words[word + 1] & !(mask >> above) | value >> above;
        }
    }

    /// Sets the integer at `index` to `value` and returns the previous value.
    pub(crate) fn replace(&mut self, index: u64, value: u64) -> u64 {
        let before = self.get(index);
        self.set(index, value);
        before
    }

    /// Prefetches the word where the integer at `index` starts, which must be below the length.
    #[inline]
    pub(crate) fn prefetch(&self, index: u64) {
        let (word, _) = self.place(index);
        arch::prefetch(&self.words[word]);
    }

    /// Returns true if the integers fit into the nearest caches, where batches have nothing to wait for.
    pub(crate) fn are_near(&self) -> bool {
        self.words.len() <= NEAR
    }

    /// Sets all integers to zero.
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        (0..self.len).map(|index| self.get(index))
    }

    /// Returns the word and the bit in it where an integer starts. The words are in memory, so the index fits.
    #[inline]
    const fn place(&self, index: u64) -> (usize, u32) {
        debug_assert!(index < self.len);
        let bit = index * self.width as u64;
        ((bit / 64) as usize, (bit % 64) as u32)
    }
}

/// Shows size and shape; not the integers, which may be many.
impl fmt::Debug for PackedIntegers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bits", self.len, self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::{PackedIntegers, word_count};

    #[test]
    fn four_are_those_that_single_reads_return() {
        for width in 1..=32 {
            let mut integers = PackedIntegers::zeroed(40, width).unwrap();
            for index in 0..40 {
                integers.set(index, ((index + 1) * 0x9e37_79b9) & integers.max());
            }
            for index in 0..=36 {
                let singly = [0, 1, 2, 3].map(|more| integers.get(index + more));
                assert_eq!(integers.four(index), singly, "{width} bits, {index}");
            }
        }
    }

    #[test]
    fn sizes_at_the_edges() {
        for (len, words) in [(0, 0), (1, 1), (64, 7), (65, 8)] {
            assert_eq!(word_count(len, 7), Ok(words));
        }
        let bytes = (u128::from(u64::MAX) * 32).div_ceil(64) * 8;
        let error = std::format!("{}", word_count(u64::MAX.into(), 32).unwrap_err());
        assert!(error.ends_with(&std::format!(", got {bytes}")), "{error}");
    }
}
