//! Queries and insertions through a slot whose filter threads share without a lock.

use alloc::vec::Vec;

use super::concurrent::ConcurrentBloomFilter;
use crate::funnel::Funnel;
use crate::slot::Slot;

impl<F> Slot<ConcurrentBloomFilter<F>> {
    /// Returns whether the key might be in the current filter.
    ///
    /// False means that no insertion of the key into the current filter happened before this call, neither through
    /// the slot nor while the filter was built.
    #[inline]
    #[must_use]
    pub fn contains<T: ?Sized>(&self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.query(|filter| filter.contains(item))
    }

    /// Returns whether each key might be in the current filter. All are looked up in the same filter.
    #[must_use]
    pub fn contains_many<T>(&self, items: &[T]) -> Vec<bool>
    where
        F: Funnel<T>,
    {
        self.query(|filter| filter.contains_many(items))
    }

    /// Inserts a key into the current filter and, during a rebuild, into the one being built. Returns true if this
    /// call changed a bit of the filter that was current when it began.
    ///
    /// No closure gets the filter for an insertion that would miss the one being built:
    ///
    /// ```compile_fail,E0599
    /// # use membership_filters::{ConcurrentBloomFilter, Parameters, Slot, Utf8};
    /// let slot = Slot::new(ConcurrentBloomFilter::new(Utf8, &Parameters::new(1000, 0.01)?)?);
    /// slot.with(|filter| filter.insert("ann"));
    /// # Ok::<(), membership_filters::Error>(())
    /// ```
    #[inline]
    pub fn insert<T: ?Sized>(&self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.apply(|filter| filter.insert(item))
    }

    /// Inserts keys, and returns for each what [`Slot::insert`] would return.
    pub fn insert_many<T>(&self, items: &[T]) -> Vec<bool>
    where
        F: Funnel<T>,
    {
        self.apply(|filter| filter.insert_many(items))
    }
}
