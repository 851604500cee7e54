//! The sequential filter.

use alloc::vec::Vec;
use core::fmt;

use crate::bits::Bits;
use crate::error::{Error, ErrorKind};
use crate::funnel::Funnel;
use crate::shape;
use crate::strategy::Strategy;

/// Guava's `BloomFilter`: a compact set that never misses an inserted element, but may seem to contain an absent one.
///
/// A negative answer is certain. A positive answer may be false, at the false-positive rate of the parameters while the
/// filter holds no more elements than expected. The same calls with the same parameters give the same bits as in Java.
///
/// ```
/// use guava_bloom::{BloomFilter, Parameters, Utf8};
///
/// let mut seen = BloomFilter::new(Utf8, &Parameters::new(1000, 0.01)?)?;
/// assert!(seen.insert("apple")); // bits changed: it was absent
/// assert!(seen.might_contain("apple"));
/// assert!(!seen.might_contain("banana"));
/// # Ok::<(), guava_bloom::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct BloomFilter<F> {
    pub(crate) bits: Bits,
    pub(crate) strategy: Strategy,
    pub(crate) probe_count: u8,
    pub(crate) funnel: F,
}

shape::common!(BloomFilter, mut);

impl<F> BloomFilter<F> {
    /// Creates a filter from the words of another, as returned by [`BloomFilter::into_words`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the probe count is 0, or the number of words is 0 or above 2^31 - 1.
    pub fn from_parts(
        funnel: F,
        strategy: Strategy,
        probe_count: u8,
        words: Vec<u64>,
    ) -> Result<Self, Error> {
        if probe_count == 0 {
            let (thing, range) = ("the probe count", "between 1 and 255");
            return Err(Error::new(ErrorKind::InvalidArgument, thing, range, 0));
        }
        Ok(Self {
            bits: Bits::from_words(words)?,
            strategy,
            probe_count,
            funnel,
        })
    }

    /// Inserts an element. Returns true if any bit changed, which means that the element was certainly not in the filter.
    #[inline]
    pub fn insert<T: ?Sized>(&mut self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.insert_hash(self.funnel.hash(item))
    }

    /// Returns whether the element might be in the filter; false is certain.
    #[inline]
    pub fn might_contain<T: ?Sized>(&self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.might_contain_hash(self.funnel.hash(item))
    }

    /// Merges all elements of `other` into this filter.
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

    /// Checks that the filters can be merged: equal probe counts, numbers of bits, strategies and funnels.
    ///
    /// Unlike in Guava, a filter is compatible with itself: merging would change nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incompatible`] names the first difference and both values.
    pub fn check_compatible(&self, other: &Self) -> Result<(), Error>
    where
        F: PartialEq + fmt::Debug,
    {
        self.shape().check(&other.shape())
    }

    /// Returns the bits: bit i of the filter is bit i mod 64, from the least significant, of word i / 64.
    #[inline]
    pub fn words(&self) -> &[u64] {
        self.bits.words()
    }

    /// Removes all elements and keeps the memory.
    pub fn clear(&mut self) {
        self.bits.clear();
    }

    /// Returns the words of the filter, as in [`words`](Self::words).
    pub fn into_words(self) -> Vec<u64> {
        self.bits.into_words()
    }
}
