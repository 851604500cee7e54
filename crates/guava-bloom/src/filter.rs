//! The filter: elements in, answers out.

use alloc::vec::Vec;
use core::fmt;

use crate::bits::Bits;
use crate::error::{Incompatible, ParameterError};
use crate::funnel::Funnel;
use crate::hash::Hash128;
use crate::shape;
use crate::strategy::{Mitz32, Mitz64, Steps, Strategy};
use crate::unrolled;

/// Guava's `BloomFilter`: a set that forgets its elements but not that they were put.
///
/// "No" is certain, "yes" holds with the probability of the parameters as long as no more elements are in than were
/// expected. The same calls with the same parameters give the same bits as in Java.
///
/// ```
/// use guava_bloom::{BloomFilter, Parameters, Utf8};
///
/// let mut seen = BloomFilter::new(Utf8, &Parameters::new(1000, 0.01)?)?;
/// assert!(seen.put("apple")); // bits changed: it was not there
/// assert!(seen.might_contain("apple"));
/// assert!(!seen.might_contain("banana"));
/// # Ok::<(), guava_bloom::ParameterError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct BloomFilter<F> {
    pub(crate) bits: Bits,
    pub(crate) strategy: Strategy,
    pub(crate) probes: u8,
    pub(crate) funnel: F,
}

shape::common!(BloomFilter);

impl<F> BloomFilter<F> {
    /// A filter of words that were taken from another: what [`BloomFilter::into_words`] gives.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NoProbes`] when `probes` is 0, [`ParameterError::WordCount`] when there is no word or more
    /// than 2^31 - 1 of them.
    pub fn from_parts(
        funnel: F,
        strategy: Strategy,
        probes: u8,
        words: Vec<u64>,
    ) -> Result<Self, ParameterError> {
        if probes == 0 {
            return Err(ParameterError::NoProbes);
        }
        Ok(Self {
            bits: Bits::from_words(words)?,
            strategy,
            probes,
            funnel,
        })
    }

    /// Puts an element in. Whether bits changed: if so, the element was *certainly* not in; if not, it was, or the
    /// filter would have said so already.
    #[inline]
    pub fn put<T: ?Sized>(&mut self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.put_hash(self.funnel.hash(item))
    }

    /// Whether the element might be in: false is certain.
    #[inline]
    pub fn might_contain<T: ?Sized>(&self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.might_contain_hash(self.funnel.hash(item))
    }

    /// [`BloomFilter::put`] of an element that was hashed elsewhere.
    #[inline]
    pub fn put_hash(&mut self, hash: Hash128) -> bool {
        match self.strategy {
            Strategy::Murmur128Mitz32 => self.put_steps(Mitz32::new(hash)),
            Strategy::Murmur128Mitz64 => self.put_steps(Mitz64::new(hash)),
        }
    }

    /// [`BloomFilter::might_contain`] of an element that was hashed elsewhere.
    #[inline]
    pub fn might_contain_hash(&self, hash: Hash128) -> bool {
        match self.strategy {
            Strategy::Murmur128Mitz32 => self.contains_steps(Mitz32::new(hash)),
            Strategy::Murmur128Mitz64 => self.contains_steps(Mitz64::new(hash)),
        }
    }

    #[inline]
    fn put_steps(&mut self, steps: impl Steps) -> bool {
        let modulus = self.bits.modulus();
        let position = |dividend| modulus.remainder(dividend);
        unrolled::any(steps, self.probes, position, |position| self.bits.set(position))
    }

    #[inline]
    fn contains_steps(&self, steps: impl Steps) -> bool {
        unrolled::every(steps, self.probes, |dividend| {
            self.bits.test(self.bits.position(dividend))
        })
    }

    /// Puts in everything that is in `other`: the filter is then the one to which both sets of elements were put.
    ///
    /// # Errors
    ///
    /// [`Incompatible`] as by [`BloomFilter::is_compatible`]; nothing is changed then.
    pub fn put_all(&mut self, other: &Self) -> Result<(), Incompatible>
    where
        F: PartialEq + fmt::Debug,
    {
        self.is_compatible(other)?;
        self.bits.set_all(&other.bits);
        Ok(())
    }

    /// Whether the filters can be combined: equal probe counts, bit sizes, strategies and funnels.
    ///
    /// Guava's says no of a filter and itself. Here that is yes: combining them changes nothing.
    ///
    /// # Errors
    ///
    /// [`Incompatible`] names the first difference and holds both values.
    pub fn is_compatible(&self, other: &Self) -> Result<(), Incompatible>
    where
        F: PartialEq + fmt::Debug,
    {
        self.shape().check(&other.shape())
    }

    /// How many bits are ones. Reads the whole filter.
    pub fn bit_count(&self) -> u64 {
        self.bits.ones()
    }

    /// The bits: bit i of the filter is bit i mod 64, from the least significant, of word i / 64.
    #[inline]
    pub fn words(&self) -> &[u64] {
        self.bits.words()
    }

    /// Takes all elements out; the memory stays.
    pub fn clear(&mut self) {
        self.bits.clear();
    }

    /// The bits, without the filter.
    pub fn into_words(self) -> Vec<u64> {
        self.bits.into_words()
    }
}
