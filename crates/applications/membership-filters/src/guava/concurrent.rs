//! A filter that many threads fill at once, without locks. `atomic_bits.rs` has the memory orderings.

use core::fmt;

use crate::atomic_bits::AtomicU64;
use crate::bits::Word;
use crate::bloom::Bloom;
use crate::envelope::Reader;
use crate::error::Error;
use crate::guava::filter::BloomFilter;
use crate::guava::shape;

/// A [`BloomFilter`] that many threads share: they insert through a shared reference, without locks.
///
/// The bits equal those of a [`BloomFilter`] with the same keys, whatever the order and the number of threads. Threads may rely
/// on what [`ConcurrentBloomFilter`](crate::ConcurrentBloomFilter#what-threads-may-rely-on) promises.
/// Available on targets with 64-bit atomic operations.
///
/// ```
/// use membership_filters::Utf8;
/// use membership_filters::guava::{BloomFilter, ConcurrentBloomFilter};
/// use std::thread;
///
/// let seen = ConcurrentBloomFilter::with_capacity(Utf8, 1000, 0.01)?;
/// thread::scope(|scope| {
///     for part in [["apple", "pear"], ["pear", "plum"]] {
///         let seen = &seen;
///         scope.spawn(move || part.map(|fruit| seen.insert(fruit)));
///     }
/// });
/// assert!(seen.contains("plum"));
///
/// let mut alone = BloomFilter::with_capacity(Utf8, 1000, 0.01)?;
/// alone.insert_many(["apple", "pear", "plum"]);
/// assert_eq!(seen.into_sequential(), alone);
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug)]
pub struct ConcurrentBloomFilter<F> {
    pub(crate) bloom: Bloom<AtomicU64>,
    pub(crate) funnel: F,
}

shape::common!(ConcurrentBloomFilter);

/// Compares the words as each is when it is read.
impl<F: PartialEq> PartialEq for ConcurrentBloomFilter<F> {
    fn eq(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.bloom.bits.values(), other.bloom.bits.values());
        self.funnel == other.funnel && self.stream_header() == other.stream_header() && ours.eq(theirs)
    }
}

impl<F: Eq> Eq for ConcurrentBloomFilter<F> {}

impl<F> ConcurrentBloomFilter<F> {
    /// Merges all keys of `other` into this filter, as
    /// [`ConcurrentBloomFilter::merge`](crate::ConcurrentBloomFilter::merge) does.
    ///
    /// # Errors
    ///
    /// The errors of [`ConcurrentBloomFilter::check_compatible`], which leave the filter unchanged.
    pub fn merge(&self, other: &Self) -> Result<(), Error>
    where
        F: PartialEq + fmt::Debug,
    {
        self.check_compatible(other)?;
        self.bloom.bits.set_all(other.bloom.bits.values());
        Ok(())
    }

    /// Returns a copy of the filter as it is now, as
    /// [`ConcurrentBloomFilter::snapshot`](crate::ConcurrentBloomFilter::snapshot) does.
    #[must_use]
    pub fn snapshot(&self) -> BloomFilter<F>
    where
        F: Clone,
    {
        let Bloom {
            rule, probe_count, ..
        } = self.bloom;
        let bloom = Bloom {
            bits: self.bloom.bits.copy(Word::value),
            rule,
            probe_count,
        };
        let funnel = self.funnel.clone();
        BloomFilter { bloom, funnel }
    }

    pub(super) fn read(reader: &mut Reader<'_>, funnel: F) -> Result<Self, Error> {
        BloomFilter::read(reader, funnel).map(Into::into)
    }

    /// Converts the filter to a [`BloomFilter`] with every inserted key. Ownership proves that no other thread is
    /// using it. The memory is reused, not copied, on platforms where an atomic word has the layout of a plain one.
    #[must_use]
    pub fn into_sequential(self) -> BloomFilter<F> {
        let Self { bloom, funnel } = self;
        let bloom = bloom.map(AtomicU64::into_inner);
        BloomFilter { bloom, funnel }
    }
}

/// Reuses the memory where an atomic word has the layout of a plain one.
impl<F> From<BloomFilter<F>> for ConcurrentBloomFilter<F> {
    fn from(BloomFilter { bloom, funnel }: BloomFilter<F>) -> Self {
        let bloom = bloom.map(AtomicU64::new);
        Self { bloom, funnel }
    }
}
