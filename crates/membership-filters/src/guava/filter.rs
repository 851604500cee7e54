//! The sequential filter.

use alloc::vec::Vec;
use core::fmt;

use crate::bits::Bits;
use crate::error::Error;
use crate::funnel::Funnel;
use crate::guava::header::StreamHeader;
use crate::guava::shape;
use crate::guava::strategy::Strategy;
use crate::hash::Hash128;

/// Guava's `BloomFilter`: a compact set that never misses an inserted key, but may seem to contain an absent one.
///
/// A negative answer is certain. A positive answer may be false, at the false-positive rate of the parameters while the
/// filter holds no more keys than expected. The same calls with the same parameters give the same bits as in Java.
///
/// ```
/// use membership_filters::{BloomFilter, Parameters, Utf8};
///
/// let mut seen = BloomFilter::new(Utf8, &Parameters::new(1000, 0.01)?)?;
/// assert!(seen.insert("apple")); // bits changed: it was absent
/// assert!(seen.contains("apple"));
/// assert!(!seen.contains("banana"));
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BloomFilter<F> {
    pub(crate) bits: Bits,
    pub(crate) strategy: Strategy,
    pub(crate) probe_count: u32,
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
        Ok(Self {
            bits: Bits::from_words(words)?,
            strategy,
            probe_count: header.probe_count.into(),
            funnel,
        })
    }

    /// Returns the header of the filter's stream, which has its strategy and its probe count, and the words, as in
    /// [`words`](Self::words).
    #[must_use]
    pub fn into_parts(self) -> (StreamHeader, Vec<u64>) {
        (self.stream_header(), self.bits.into_words())
    }

    /// Inserts a key. Returns true if any bit changed, which means that the key was certainly not in the filter.
    #[inline]
    pub fn insert<T: ?Sized>(&mut self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.insert_raw(Hash128::of_key(&self.funnel, item))
    }

    /// Returns whether the key might be in the filter; false is certain.
    #[inline]
    #[must_use]
    pub fn contains<T: ?Sized>(&self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.contains_raw(Hash128::of_key(&self.funnel, item))
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
        self.bits.set_all(&other.bits);
        Ok(())
    }

    /// Returns the bits: bit i of the filter is bit i mod 64, from the least significant, of word i / 64.
    #[inline]
    pub fn words(&self) -> &[u64] {
        self.bits.words()
    }

    /// Removes all keys and keeps the memory.
    pub fn clear(&mut self) {
        self.bits.clear();
    }
}
