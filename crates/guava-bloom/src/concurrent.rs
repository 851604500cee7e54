//! The filter that many threads fill at once, without locks.
//!
//! Knows nothing of memory orderings: `atomic_bits.rs` does.

use core::fmt;

use crate::atomic_bits::{AtomicU64, load};
use crate::bits::Bits;
use crate::error::Incompatible;
use crate::filter::BloomFilter;
use crate::funnel::Funnel;
use crate::hash::Hash128;
use crate::shape::{self, Shape};
use crate::strategy::{Mitz32, Mitz64, Steps, Strategy};
use crate::unrolled;

/// [`BloomFilter`] for many threads: elements are put through a shared reference, without locks.
///
/// The bits are those of a [`BloomFilter`] to which the same elements were put, in whatever order and by however many
/// threads. Exists where the target has 64-bit atomic operations.
///
/// ```
/// use guava_bloom::{BloomFilter, ConcurrentBloomFilter, Parameters, Utf8};
/// use std::thread;
///
/// let parameters = Parameters::new(1000, 0.01)?;
/// let seen = ConcurrentBloomFilter::new(Utf8, &parameters)?;
/// thread::scope(|scope| {
///     for part in [["apple", "pear"], ["pear", "plum"]] {
///         let seen = &seen;
///         scope.spawn(move || part.map(|fruit| seen.put(fruit)));
///     }
/// });
/// assert!(seen.might_contain("plum"));
///
/// let mut alone = BloomFilter::new(Utf8, &parameters)?;
/// for fruit in ["apple", "pear", "plum"] {
///     alone.put(fruit);
/// }
/// assert_eq!(seen.into_sequential(), alone);
/// # Ok::<(), guava_bloom::ParameterError>(())
/// ```
///
/// # What threads may rely on
///
/// "Happens before" is meant as in the memory model of Rust: the same thread did it earlier, or a join, a lock, a channel,
/// or a release store that was read by an acquire load lies between. Each method states its guarantee. All of them rest on
/// these:
///
/// - No bit is lost, and none is ever reset: bits go from zero to one.
/// - A `put` happens bit by bit. Another thread may see some bits of an element whose `put` is under way; it then says
///   "contained" or not, and either is right.
/// - No order between different elements is promised to a thread that has heard of neither. A "yes" to one element says
///   nothing of elements that the other thread put before, nor of anything else it wrote before.
pub struct ConcurrentBloomFilter<F> {
    bits: Bits<AtomicU64>,
    strategy: Strategy,
    probes: u8,
    funnel: F,
}

shape::common!(ConcurrentBloomFilter);

impl<F> ConcurrentBloomFilter<F> {
    /// Puts an element in. Whether this call changed bits.
    ///
    /// - **Afterwards** every `might_contain` of the element that this call happens before says yes, whatever this call
    ///   returned.
    /// - **True**: a bit of the element was a zero until this very call set it. So no `put` of an equal element had returned
    ///   when this call began.
    /// - **False**: every bit of the element was already set, by earlier calls or by calls still under way, for equal
    ///   elements or for others. So false does not mean that another `put` of the element has returned.
    /// - **The same absent element by two threads at once**: at least one of the calls returns true, and both may, if each
    ///   sets some of its bits. The exception is that of every Bloom filter: when all its bits are set by other elements,
    ///   neither does.
    ///
    /// Who counts on "true" to do something once for each element thus does it at least once for each element that the
    /// filter did not already claim to hold, and may do it again for one that two threads put at the same moment. Exactly
    /// once cannot be had from bits that elements share.
    #[inline]
    pub fn put<T: ?Sized>(&self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.put_hash(self.funnel.hash(item))
    }

    /// Whether the element might be in.
    ///
    /// - **False**: no `put` of the element happened before this call.
    /// - **True**: every bit of the element was found set, possibly by calls still under way or for other elements. Later
    ///   calls that this one happens before say yes too.
    #[inline]
    pub fn might_contain<T: ?Sized>(&self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.might_contain_hash(self.funnel.hash(item))
    }

    /// [`ConcurrentBloomFilter::put`] of an element that was hashed elsewhere; the same guarantees.
    #[inline]
    pub fn put_hash(&self, hash: Hash128) -> bool {
        match self.strategy {
            Strategy::Murmur128Mitz32 => self.put_steps(Mitz32::new(hash)),
            Strategy::Murmur128Mitz64 => self.put_steps(Mitz64::new(hash)),
        }
    }

    /// [`ConcurrentBloomFilter::might_contain`] of an element that was hashed elsewhere; the same guarantees.
    #[inline]
    pub fn might_contain_hash(&self, hash: Hash128) -> bool {
        match self.strategy {
            Strategy::Murmur128Mitz32 => self.contains_steps(Mitz32::new(hash)),
            Strategy::Murmur128Mitz64 => self.contains_steps(Mitz64::new(hash)),
        }
    }

    #[inline]
    fn put_steps(&self, steps: impl Steps) -> bool {
        unrolled::any(
            steps,
            self.probes,
            |dividend| dividend,
            |dividend| self.bits.set(dividend),
        )
    }

    #[inline]
    fn contains_steps(&self, steps: impl Steps) -> bool {
        unrolled::every(steps, self.probes, |dividend| self.bits.test(dividend))
    }

    /// Puts in everything that is in `other`, a [`BloomFilter`] or another concurrent one. Other threads may go on to use
    /// both.
    ///
    /// - **Afterwards** this filter holds every element whose `put` into `other` happened before this call, and no bit of
    ///   its own is lost.
    /// - Of an element whose `put` into `other` is under way, or comes later, all bits, some or none may have come over.
    /// - Words come over one after the other: a thread that asks meanwhile finds some elements of `other` and misses some.
    ///
    /// ```
    /// use guava_bloom::{BloomFilter, ConcurrentBloomFilter, Parameters, Utf8};
    ///
    /// let parameters = Parameters::new(1000, 0.01)?;
    /// let all = ConcurrentBloomFilter::new(Utf8, &parameters)?;
    /// let mut one = BloomFilter::new(Utf8, &parameters)?;
    /// let another = ConcurrentBloomFilter::new(Utf8, &parameters)?;
    /// one.put("apple");
    /// another.put("pear");
    /// all.put_all(&one)?;
    /// all.put_all(&another)?;
    /// assert!(all.might_contain("apple") && all.might_contain("pear"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Incompatible`] as by [`ConcurrentBloomFilter::is_compatible`]; nothing is changed then.
    pub fn put_all<'a>(&self, other: impl Into<AnyFilter<'a, F>>) -> Result<(), Incompatible>
    where
        F: PartialEq + fmt::Debug + 'a,
    {
        let other = other.into();
        self.shape().check(&other.shape)?;
        match other.words {
            Words::Sequential(words) => self.bits.set_all(words.iter().copied()),
            Words::Concurrent(bits) => self.bits.set_all(bits.values()),
        }
        Ok(())
    }

    /// Whether the filters can be combined: equal probe counts, bit sizes, strategies and funnels.
    ///
    /// # Errors
    ///
    /// [`Incompatible`] names the first difference and holds both values.
    pub fn is_compatible<'a>(&self, other: impl Into<AnyFilter<'a, F>>) -> Result<(), Incompatible>
    where
        F: PartialEq + fmt::Debug + 'a,
    {
        self.shape().check(&other.into().shape)
    }

    /// A copy as it is now, for what needs a filter at rest.
    ///
    /// It holds every element whose `put` happened before this call; of those put meanwhile all bits, some or none, so that
    /// it may hold an element and miss one that the same thread put before. Takes as much memory again, and like `clone`
    /// has no error when there is none.
    #[must_use]
    pub fn snapshot(&self) -> BloomFilter<F>
    where
        F: Clone,
    {
        BloomFilter {
            bits: self.bits.copy(load),
            strategy: self.strategy,
            probes: self.probes,
            funnel: self.funnel.clone(),
        }
    }

    /// The filter for one thread, with every element that was put. No other thread can be at it: owning the filter proves
    /// that. The memory is kept, not copied, where an atomic word is laid out as a plain one.
    #[must_use]
    pub fn into_sequential(self) -> BloomFilter<F> {
        BloomFilter {
            bits: self.bits.map(AtomicU64::into_inner),
            strategy: self.strategy,
            probes: self.probes,
            funnel: self.funnel,
        }
    }

    /// How many bits are ones. Reads the whole filter.
    ///
    /// Counts at least the bits of every `put` that happened before this call, and at most the bits that are set when it
    /// returns: exact if nobody puts meanwhile, otherwise never too many.
    pub fn bit_count(&self) -> u64 {
        self.bits.ones()
    }

    /// Writes the stream, in pieces of 64 KiB and without a copy of the filter. Does not flush.
    ///
    /// Other threads may go on putting. The stream holds every element whose `put` happened before this call; of those put
    /// meanwhile all bits, some or none, as a [`ConcurrentBloomFilter::snapshot`].
    ///
    /// # Errors
    ///
    /// Those of the writer.
    #[cfg(feature = "std")]
    pub fn write_to(&self, writer: impl std::io::Write) -> std::io::Result<()> {
        crate::serial::io::write(writer, self.stream_header(), self.bits.words(), load)
    }
}

/// Keeps the memory where an atomic word is laid out as a plain one.
impl<F> From<BloomFilter<F>> for ConcurrentBloomFilter<F> {
    fn from(filter: BloomFilter<F>) -> Self {
        Self {
            bits: filter.bits.map(AtomicU64::new),
            strategy: filter.strategy,
            probes: filter.probes,
            funnel: filter.funnel,
        }
    }
}

/// [`ConcurrentBloomFilter::into_sequential`].
impl<F> From<ConcurrentBloomFilter<F>> for BloomFilter<F> {
    fn from(filter: ConcurrentBloomFilter<F>) -> Self {
        filter.into_sequential()
    }
}

/// A reference to a filter of either kind: what [`ConcurrentBloomFilter::put_all`] takes.
pub struct AnyFilter<'a, F> {
    shape: Shape<'a, F>,
    words: Words<'a>,
}

enum Words<'a> {
    Sequential(&'a [u64]),
    Concurrent(&'a Bits<AtomicU64>),
}

impl<F> fmt::Debug for AnyFilter<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyFilter").finish_non_exhaustive()
    }
}

impl<'a, F> From<&'a BloomFilter<F>> for AnyFilter<'a, F> {
    fn from(filter: &'a BloomFilter<F>) -> Self {
        Self {
            shape: filter.shape(),
            words: Words::Sequential(filter.words()),
        }
    }
}

impl<'a, F> From<&'a ConcurrentBloomFilter<F>> for AnyFilter<'a, F> {
    fn from(filter: &'a ConcurrentBloomFilter<F>) -> Self {
        Self {
            shape: filter.shape(),
            words: Words::Concurrent(&filter.bits),
        }
    }
}
