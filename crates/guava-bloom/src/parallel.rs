//! Builds one filter from a parallel iterator.
//!
//! Sharing a filter costs time: setting a bit takes an atomic operation, and takes the cache line from other threads.
//! One filter per thread costs nothing until the filters are combined, but multiplies the memory. So small filters are
//! built apart and large ones together; [`PARTS_BYTES`] is the limit.

use alloc::vec::Vec;
use std::sync::{Mutex, PoisonError};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::concurrent::ConcurrentBloomFilter;
use crate::error::Error;
use crate::filter::BloomFilter;
use crate::funnel::Funnel;
use crate::hash::Hash128;
use crate::parameters::Parameters;

/// The largest total size of the filters of all threads, in bytes: about the size of the processor's caches. Beyond it,
/// threads wait for memory rather than for each other, and separate filters are not worth their memory.
const PARTS_BYTES: u64 = 32 << 20;

/// Builds a filter from any parallel iterator of `rayon`; the counterpart of Guava's `toBloomFilter` collector. Needs
/// the feature `rayon`.
///
/// The result is byte for byte the filter of one thread, whatever the number and order of threads. This takes the
/// memory of one filter and at most 32 MiB more: if the filters of all threads of the current pool fit into 32 MiB,
/// each thread fills its own and they are combined by OR; otherwise the threads share one filter of atomic words.
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
///     alone.insert(&format!("key{number}"));
/// }
/// assert_eq!(filter, alone);
/// # Ok::<(), guava_bloom::Error>(())
/// ```
pub trait CollectBloomFilter: ParallelIterator {
    /// Builds a filter of all items.
    ///
    /// The funnel must accept the iterator's items. This crate's funnels accept references as well as values. If the
    /// items are references and a custom funnel accepts only values, call
    /// [`CollectBloomFilter::collect_bloom_filter_of_refs`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) when the allocator refuses the memory.
    fn collect_bloom_filter<F>(self, funnel: F, parameters: &Parameters) -> Result<BloomFilter<F>, Error>
    where
        F: Funnel<Self::Item> + Sync,
    {
        let filter = ConcurrentBloomFilter::new(funnel, parameters)?;
        let hashes = self.map(|item| filter.funnel().hash(&item));
        let parts = insert_apart(&filter, parameters, hashes);
        Ok(combined(filter, &parts))
    }

    /// Builds a filter of all elements that the items refer to.
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
    /// # Ok::<(), guava_bloom::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`CollectBloomFilter::collect_bloom_filter`].
    fn collect_bloom_filter_of_refs<'a, T, F>(
        self,
        funnel: F,
        parameters: &Parameters,
    ) -> Result<BloomFilter<F>, Error>
    where
        Self: ParallelIterator<Item = &'a T>,
        T: ?Sized + Sync + 'a,
        F: Funnel<T> + Sync,
    {
        let filter = ConcurrentBloomFilter::new(funnel, parameters)?;
        let hashes = self.map(|item| filter.funnel().hash(item));
        let parts = insert_apart(&filter, parameters, hashes);
        Ok(combined(filter, &parts))
    }
}

impl<I: ParallelIterator> CollectBloomFilter for I {}

/// The filter of one thread. Hashes need no funnel.
type Part = BloomFilter<()>;

/// Inserts the hashes into the filter, or into parts, which it returns.
fn insert_apart<F: Sync>(
    filter: &ConcurrentBloomFilter<F>,
    parameters: &Parameters,
    hashes: impl ParallelIterator<Item = Hash128>,
) -> Vec<Part> {
    let threads = rayon::current_num_threads();
    let apart = parameters.stream_len().saturating_mul(threads as u64) <= PARTS_BYTES;
    let parts = Mutex::new(Parts {
        idle: Vec::new(),
        left: if apart { threads } else { 0 },
    });
    hashes
        .fold(
            || take(&parts, parameters),
            |mut part, hash| {
                match &mut part {
                    Some(part) => part.insert_hash(hash),
                    None => filter.insert_hash(hash),
                };
                part
            },
        )
        .for_each(|part| give_back(&parts, part));
    parts.into_inner().unwrap_or_else(PoisonError::into_inner).idle
}

/// The parts that no thread is filling, and the number of parts that may still be made.
struct Parts {
    idle: Vec<Part>,
    left: usize,
}

/// Takes an idle part or makes a new one. Returns `None` if enough were made or memory is out; use the filter itself
/// then.
fn take(parts: &Mutex<Parts>, parameters: &Parameters) -> Option<Part> {
    {
        let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(part) = parts.idle.pop() {
            return Some(part);
        }
        parts.left = parts.left.checked_sub(1)?;
    }
    BloomFilter::new((), parameters).ok()
}

fn give_back(parts: &Mutex<Parts>, part: Option<Part>) {
    let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
    parts.idle.extend(part);
}

fn combined<F>(filter: ConcurrentBloomFilter<F>, parts: &[Part]) -> BloomFilter<F> {
    let mut filter = filter.into_sequential();
    for part in parts {
        filter.bits.set_all(&part.bits);
    }
    filter
}

impl<F> ConcurrentBloomFilter<F> {
    /// Inserts all items of a parallel iterator, on the threads of the current `rayon` pool. Every insertion has
    /// happened when this returns. Needs the feature `rayon`.
    ///
    /// ```
    /// use guava_bloom::{ConcurrentBloomFilter, Long, Parameters};
    ///
    /// let seen = ConcurrentBloomFilter::new(Long, &Parameters::new(2000, 0.01)?)?;
    /// seen.par_insert(0..1000_i64);
    /// seen.par_insert(&vec![1000, 1001]);
    /// assert!(seen.might_contain(&999) && seen.might_contain(&1001));
    /// # Ok::<(), guava_bloom::Error>(())
    /// ```
    pub fn par_insert<I>(&self, items: I)
    where
        I: IntoParallelIterator,
        F: Funnel<I::Item> + Sync,
    {
        items.into_par_iter().for_each(|item| {
            self.insert(&item);
        });
    }
}
