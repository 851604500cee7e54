//! A filter that many threads fill at once, without locks. `atomic_bits.rs` has the memory orderings.

use core::fmt;

use crate::atomic_bits::AtomicU64;
use crate::bits::{Bits, Word};
use crate::error::Error;
use crate::funnel::Funnel;
use crate::guava::filter::BloomFilter;
use crate::guava::shape;
use crate::guava::strategy::Strategy;
use crate::hash::Hash128;

/// A [`BloomFilter`] that many threads share: they insert through a shared reference, without locks.
///
/// The bits equal those of a [`BloomFilter`] with the same keys, whatever the order and the number of threads.
/// Available on targets with 64-bit atomic operations.
///
/// ```
/// use membership_filters::{BloomFilter, ConcurrentBloomFilter, Parameters, Utf8};
/// use std::thread;
///
/// let parameters = Parameters::new(1000, 0.01)?;
/// let seen = ConcurrentBloomFilter::new(Utf8, &parameters)?;
/// thread::scope(|scope| {
///     for part in [["apple", "pear"], ["pear", "plum"]] {
///         let seen = &seen;
///         scope.spawn(move || part.map(|fruit| seen.insert(fruit)));
///     }
/// });
/// assert!(seen.contains("plum"));
///
/// let mut alone = BloomFilter::new(Utf8, &parameters)?;
/// for fruit in ["apple", "pear", "plum"] {
///     alone.insert(fruit);
/// }
/// assert_eq!(seen.into_sequential(), alone);
/// # Ok::<(), membership_filters::Error>(())
/// ```
///
/// # What threads may rely on
///
/// "Happens before" has its meaning in Rust's memory model: the same thread did it earlier, or a join, a lock, a
/// channel, or a release store read by an acquire load lies between. Each method states its guarantee. All guarantees
/// follow from these:
///
/// - No bit is lost or ever reset: bits only go from zero to one.
/// - An insertion sets one bit after another. A query for a key whose insertion is under way may return either
///   answer.
/// - The order of insertions is not visible without synchronization. If one key is found, this says nothing about
///   keys that the other thread inserted before it, nor about anything else that it wrote before.
#[derive(Debug)]
pub struct ConcurrentBloomFilter<F> {
    pub(crate) bits: Bits<AtomicU64>,
    strategy: Strategy,
    probe_count: u32,
    pub(crate) funnel: F,
}

shape::common!(ConcurrentBloomFilter);

impl<F> ConcurrentBloomFilter<F> {
    /// Inserts a key. Returns true if this call changed a bit.
    ///
    /// - **Afterwards** every `contains` of the key that this call happens before returns true, whatever this
    ///   call returned.
    /// - **True**: a bit of the key was zero until this call set it. So no insertion of an equal key had
    ///   returned when this call began.
    /// - **False**: every bit of the key was already set, by calls that have returned or are still under way, for
    ///   equal or other keys. So false does not mean that another insertion of the key has returned.
    /// - **Two threads that insert the same absent key at once**: at least one call returns true, and both do if
    ///   each sets some of the bits. As in every Bloom filter, neither does if other keys have set all of the bits.
    ///
    /// A caller that acts on "true" therefore acts at least once for each key that the filter did not already seem
    /// to contain, and perhaps twice if two threads insert the key at the same moment. Exactly once is impossible
    /// with shared bits.
    #[inline]
    pub fn insert<T: ?Sized>(&self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.insert_raw(Hash128::of_key(&self.funnel, item))
    }

    /// Returns whether the key might be in the filter.
    ///
    /// - **False**: no insertion of the key happened before this call.
    /// - **True**: every bit of the key was found set, possibly by calls still under way or for other keys.
    ///   Calls that this one happens before return true as well.
    #[inline]
    #[must_use]
    pub fn contains<T: ?Sized>(&self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.contains_raw(Hash128::of_key(&self.funnel, item))
    }

    /// Merges all keys of `other` into this filter. Other threads may keep using both. A [`BloomFilter`] becomes a
    /// concurrent filter by `into`.
    ///
    /// - **Afterwards** this filter contains every key whose insertion into `other` happened before this call, and
    ///   has lost no bit.
    /// - If an insertion into `other` is under way or comes later, all, some or none of the key's bits are merged.
    /// - Words are merged one after the other: a concurrent query finds some keys of `other` and misses some.
    ///
    /// ```
    /// use membership_filters::{BloomFilter, ConcurrentBloomFilter, Parameters, Utf8};
    ///
    /// let parameters = Parameters::new(1000, 0.01)?;
    /// let all = ConcurrentBloomFilter::new(Utf8, &parameters)?;
    /// let mut one = BloomFilter::new(Utf8, &parameters)?;
    /// let another = ConcurrentBloomFilter::new(Utf8, &parameters)?;
    /// one.insert("apple");
    /// another.insert("pear");
    /// all.merge(&one.into())?;
    /// all.merge(&another)?;
    /// assert!(all.contains("apple") && all.contains("pear"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`ConcurrentBloomFilter::check_compatible`], which leave the filter unchanged.
    pub fn merge(&self, other: &Self) -> Result<(), Error>
    where
        F: PartialEq + fmt::Debug,
    {
        self.check_compatible(other)?;
        self.bits.set_all(other.bits.values());
        Ok(())
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
            bits: self.bits.copy(Word::value),
            strategy: self.strategy,
            probe_count: self.probe_count,
            funnel: self.funnel.clone(),
        }
    }

    /// Converts the filter to a [`BloomFilter`] with every inserted key. Ownership proves that no other thread is
    /// using it. The memory is reused, not copied, on platforms where an atomic word has the layout of a plain one.
    #[must_use]
    pub fn into_sequential(self) -> BloomFilter<F> {
        BloomFilter {
            bits: self.bits.map(AtomicU64::into_inner),
            strategy: self.strategy,
            probe_count: self.probe_count,
            funnel: self.funnel,
        }
    }
}

/// Reuses the memory where an atomic word has the layout of a plain one.
impl<F> From<BloomFilter<F>> for ConcurrentBloomFilter<F> {
    fn from(filter: BloomFilter<F>) -> Self {
        Self {
            bits: filter.bits.map(AtomicU64::new),
            strategy: filter.strategy,
            probe_count: filter.probe_count,
            funnel: filter.funnel,
        }
    }
}
