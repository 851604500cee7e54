//! The sequential filter.

use alloc::vec::Vec;
use core::fmt;

use crate::bits::Bits;
use crate::bloom::Bloom;
use crate::error::Error;
use crate::guava::header::StreamHeader;
use crate::guava::shape;

/// Guava's `BloomFilter`: a compact set that never misses an inserted key, but may seem to contain an absent one.
///
/// A negative answer is certain. A positive answer may be false, at the rate of the parameters while the
/// filter holds no more keys than planned. The same calls with the same parameters give the same bits as in Java.
///
/// ```
/// use membership_filters::Utf8;
/// use membership_filters::guava::BloomFilter;
///
/// let mut seen = BloomFilter::with_capacity(Utf8, 1000, 0.01)?;
/// assert!(seen.insert("apple")); // bits changed: it was absent
/// assert!(seen.contains("apple"));
/// assert!(!seen.contains("banana"));
///
/// let mut small = BloomFilter::with_capacity(Utf8, 1, 0.01)?;
/// small.insert("key0");
/// let bytes = small.to_guava(); // writeTo
/// assert_eq!(bytes, b"\x01\x07\0\0\0\x01\0\0\0\0\0\x15\x55\0");
/// assert_eq!(BloomFilter::from_guava(&bytes, Utf8)?, small);
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BloomFilter<F> {
    pub(crate) bloom: Bloom,
    pub(crate) funnel: F,
}

shape::common!(BloomFilter, mut);

impl<F> BloomFilter<F> {
    /// Creates a filter from the header and the words of another, as returned by [`BloomFilter::into_parts`].
    ///
    /// The funnel must be that of the other filter, and the words must have been filled under the strategy and the probe
    /// count of the header: nothing checks this, and the filter denies keys otherwise.
    ///
    /// # Errors
    ///
    /// [`InvalidField`](crate::ErrorKind::InvalidField) if no filter has this header, and [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if it is the header of
    /// another number of words.
    pub fn from_parts(funnel: F, header: StreamHeader, words: Vec<u64>) -> Result<Self, Error> {
        let (strategy, count) = header.validate()?;
        if words.len() as u64 != u64::from(count) {
            let (thing, range) = ("the word count", format_args!("{count} by the header"));
            return Err(Error::argument(thing, range, words.len()));
        }
        let bloom = Bloom {
            bits: Bits::from_words(words)?,
            rule: strategy.rule(),
            probe_count: header.probe_count.into(),
        };
        Ok(Self { bloom, funnel })
    }

    /// Returns the header of the filter's stream, which has its strategy and its probe count, and the words, as in
    /// [`words`](Self::words).
    #[must_use]
    pub fn into_parts(self) -> (StreamHeader, Vec<u64>) {
        (self.stream_header(), self.bloom.bits.into_words())
    }

    /// Merges all keys of `other` into this filter.
    ///
    /// # Errors
    ///
    /// The errors of [`BloomFilter::check_compatible`], which leave the filter unchanged.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error>
    where
        F: PartialEq + fmt::Debug,
    {
        self.check_compatible(other)?;
        self.bloom.bits.set_all(&other.bloom.bits);
        Ok(())
    }

    /// Returns the bits: bit i of the filter is bit i mod 64, from the least significant, of word i / 64.
    #[inline]
    pub fn words(&self) -> &[u64] {
        self.bloom.bits.words()
    }

    /// Removes all keys and keeps the memory.
    pub fn clear(&mut self) {
        self.bloom.bits.clear();
    }
}
