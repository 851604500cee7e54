//! One filter from a parallel iterator.
//!
//! All threads put into one filter of atomic words. The other way, a filter for each thread and an OR at the end, takes as
//! many times the memory as there are threads.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::concurrent::ConcurrentBloomFilter;
use crate::error::ParameterError;
use crate::filter::BloomFilter;
use crate::funnel::Funnel;
use crate::parameters::Parameters;

/// Builds a filter from any parallel iterator of `rayon`; the counterpart of Guava's `toBloomFilter` collector.
///
/// The result is byte for byte the filter of one thread, whatever the number of threads and the order in which they come to
/// the elements. The threads of the current pool put into one filter of atomic words: memory is that of one filter, however
/// many threads there are.
///
/// ```
/// use guava_bloom::{BloomFilter, CollectBloomFilter, Parameters, Utf8};
/// use rayon::prelude::*;
///
/// let parameters = Parameters::new(10_000, 0.01)?;
/// let filter = (0..10_000)
///     .into_par_iter()
///     .map(|number| format!("key{number}"))
///     .collect_bloom_filter(Utf8, &parameters)?;
///
/// let mut alone = BloomFilter::new(Utf8, &parameters)?;
/// for number in 0..10_000 {
///     alone.put(&format!("key{number}"));
/// }
/// assert_eq!(filter, alone);
/// # Ok::<(), guava_bloom::ParameterError>(())
/// ```
pub trait CollectBloomFilter: ParallelIterator {
    /// A filter of all items.
    ///
    /// The funnel takes the items as the iterator gives them. This crate's funnels take references as well as values; where
    /// an own funnel takes the elements and the iterator gives references to them, it is
    /// [`CollectBloomFilter::collect_bloom_filter_of_refs`].
    ///
    /// # Errors
    ///
    /// [`ParameterError::OutOfMemory`] when the allocator refuses the memory.
    fn collect_bloom_filter<F>(
        self,
        funnel: F,
        parameters: &Parameters,
    ) -> Result<BloomFilter<F>, ParameterError>
    where
        F: Funnel<Self::Item> + Sync,
    {
        let filter = ConcurrentBloomFilter::new(funnel, parameters)?;
        filter.par_put_all(self);
        Ok(filter.into_sequential())
    }

    /// A filter of all elements that the items refer to.
    ///
    /// ```
    /// use guava_bloom::{CollectBloomFilter, Funnel, Parameters, Sink};
    /// use rayon::prelude::*;
    ///
    /// struct Person {
    ///     id: i32,
    ///     name: String,
    /// }
    ///
    /// struct PersonFunnel;
    ///
    /// impl Funnel<Person> for PersonFunnel {
    ///     fn funnel<S: Sink>(&self, person: &Person, into: &mut S) {
    ///         into.put_i32(person.id);
    ///         into.put_str(&person.name);
    ///     }
    /// }
    ///
    /// let people = [Person { id: 1, name: "Ada".to_owned() }];
    /// let filter = people
    ///     .par_iter()
    ///     .collect_bloom_filter_of_refs(PersonFunnel, &Parameters::new(100, 0.01)?)?;
    /// assert!(filter.might_contain(&people[0]));
    /// # Ok::<(), guava_bloom::ParameterError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`CollectBloomFilter::collect_bloom_filter`].
    fn collect_bloom_filter_of_refs<'a, T, F>(
        self,
        funnel: F,
        parameters: &Parameters,
    ) -> Result<BloomFilter<F>, ParameterError>
    where
        Self: ParallelIterator<Item = &'a T>,
        T: ?Sized + Sync + 'a,
        F: Funnel<T> + Sync,
    {
        let filter = ConcurrentBloomFilter::new(funnel, parameters)?;
        self.for_each(|item| {
            filter.put(item);
        });
        Ok(filter.into_sequential())
    }
}

impl<I: ParallelIterator> CollectBloomFilter for I {}

impl<F> ConcurrentBloomFilter<F> {
    /// Puts all items of a parallel iterator in, on the threads of the current `rayon` pool. When it returns, each of them
    /// was put, and happens before whatever the caller does next.
    ///
    /// ```
    /// use guava_bloom::{ConcurrentBloomFilter, Long, Parameters};
    ///
    /// let seen = ConcurrentBloomFilter::new(Long, &Parameters::new(2000, 0.01)?)?;
    /// seen.par_put_all(0..1000_i64);
    /// seen.par_put_all(&vec![1000, 1001]);
    /// assert!(seen.might_contain(&999) && seen.might_contain(&1001));
    /// # Ok::<(), guava_bloom::ParameterError>(())
    /// ```
    pub fn par_put_all<I>(&self, items: I)
    where
        I: IntoParallelIterator,
        F: Funnel<I::Item> + Sync,
    {
        items.into_par_iter().for_each(|item| {
            self.put(&item);
        });
    }
}
