//! The filter: a backend, which has the places of keys, and a funnel, which hashes them. All methods that kinds share are
//! here, but those that write and read its stored form.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use crate::backend::{Backend, Concurrent, Counted, Exclusive, Merge, Remove};
use crate::batch::in_batches;
use crate::error::Error;
use crate::funnel::{Funnel, Hashed};
use crate::hash::{Function, Hash128, HashFunction as _, Hashing, Xxph3};
use crate::stats::Stats;

/// A filter of any kind: the places of its keys, and the funnel that hashes them. The kinds have names:
///
/// - [`BlockedBloomFilter`](crate::BlockedBloomFilter) and [`ConcurrentBlockedBloomFilter`](crate::ConcurrentBlockedBloomFilter),
/// - [`CuckooFilter`](crate::CuckooFilter), [`CountingBloomFilter`](crate::CountingBloomFilter) and
///   [`RotatingFilter`](crate::RotatingFilter),
/// - [`guava::BloomFilter`](crate::guava::BloomFilter) and [`guava::ConcurrentBloomFilter`](crate::guava::ConcurrentBloomFilter),
/// - [`spark::BloomFilter`](crate::spark::BloomFilter) and [`redisbloom::BloomFilter`](crate::redisbloom::BloomFilter).
///
/// A function takes filters of several kinds if it is generic over the [`backend`](crate::backend):
///
/// ```
/// use membership_filters::backend::Remove;
/// use membership_filters::{CountingBloomFilter, CuckooFilter, Filter};
///
/// fn log_out<B: Remove>(sessions: &mut Filter<B>, user: &str) {
///     sessions.remove(user);
/// }
///
/// log_out(&mut CuckooFilter::with_capacity(100, 0.01)?, "ann");
/// log_out(&mut CountingBloomFilter::with_capacity(100, 0.01)?, "ann");
/// # Ok::<(), membership_filters::Error>(())
/// ```
///
/// ```compile_fail,E0599
/// # use membership_filters::CuckooFilter;
/// let filter = || CuckooFilter::with_capacity(100, 0.01).unwrap();
/// filter().merge(&filter());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Filter<B, F = Xxph3, A = Alone> {
    pub(crate) backend: B,
    pub(crate) funnel: F,
    access: PhantomData<A>,
}

/// Marks filters that take keys by `&mut self`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alone;

/// Marks filters that threads fill through a shared reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared;

/// Shows the name of the kind, and sizes; not the bits, which may be many.
impl<B: Backend + fmt::Debug, F: fmt::Debug, A> fmt::Debug for Filter<B, F, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct(B::NAME);
        fields
            .field("funnel", &self.funnel)
            .field("backend", &self.backend);
        fields.finish()
    }
}

/// Returns what the places of each key are made of.
fn parts<'k, B: Backend, F: Funnel<T>, T: ?Sized + 'k>(
    funnel: &F,
    keys: impl IntoIterator<Item = &'k T>,
) -> impl Iterator<Item = B::Hash> {
    let part = |key| match F::Function::FUNCTION {
        Function::Xxph3 => part_apart::<B, F, T>(funnel, key),
        _ => Hash128::of_key(funnel, key).into(),
    };
    keys.into_iter().map(part)
}

/// Keeps the code of a hash out of loops, which take fewer instructions then.
#[inline(never)]
fn part_apart<B: Backend, F: Funnel<T>, T: ?Sized>(funnel: &F, key: &T) -> B::Hash {
    Hash128::of_key(funnel, key).into()
}

/// Returns the same for keys that are hashed already.
fn hashed_parts<B: Backend, F>(hashes: &[Hashed<F>]) -> impl Iterator<Item = B::Hash> {
    hashes.iter().map(|hash| hash.hash().into())
}

impl<B, F, A> Filter<B, F, A> {
    #[inline]
    pub(crate) const fn of(backend: B, funnel: F) -> Self {
        let access = PhantomData;
        Self {
            backend,
            funnel,
            access,
        }
    }

    /// Returns the funnel.
    #[inline]
    pub const fn funnel(&self) -> &F {
        &self.funnel
    }

    /// Returns the hash of a key, for filters whose funnels are equal to this one's.
    #[inline]
    #[must_use]
    pub fn hash<T: ?Sized>(&self, key: &T) -> Hashed<F>
    where
        F: Funnel<T> + Clone,
    {
        Hashed::new(self.funnel.clone(), key)
    }
}

/// Filters whose funnel is chosen.
impl<B: Backend<Funnel = Option<D>>, D, F, A> Filter<B, F, A> {
    /// Creates an empty filter.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`](crate::Error::OutOfMemory), [`TooLarge`](crate::Error::TooLarge) for a counting filter, and
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a number of generations out of range.
    pub fn new(funnel: F, parameters: &B::Parameters) -> Result<Self, Error> {
        B::new(parameters).map(|backend| Self::of(backend, funnel))
    }
}

impl<B: Backend<Funnel = Option<Xxph3>>, A> Filter<B, Xxph3, A> {
    /// Creates an empty filter for this many keys at this false-positive rate: [`new`](Self::new) with the fast hash, and with
    /// the `new` of the parameters.
    pub fn with_capacity(capacity: u64, rate: f64) -> Result<Self, Error> {
        Self::new(Xxph3, &B::sized(capacity, rate)?)
    }
}

/// Queries.
impl<B: Backend, F, A> Filter<B, F, A> {
    /// Returns whether the key might be in the filter. False is certain; true is wrong with the probability
    /// [`expected_rate`](Self::expected_rate).
    #[inline]
    #[must_use]
    pub fn contains<T: ?Sized>(&self, key: &T) -> bool
    where
        F: Funnel<T>,
    {
        let hash = Hash128::of_key(&self.funnel, key);
        self.backend.contains(hash.into())
    }

    /// Returns for each key whether it might be in the filter, in order. In filters that are larger than the processor's
    /// caches this takes a fraction of the time of single calls.
    #[must_use]
    pub fn contains_many<'k, T: ?Sized + 'k>(&self, keys: impl IntoIterator<Item = &'k T>) -> Vec<bool>
    where
        F: Funnel<T>,
    {
        self.answers(parts::<B, F, T>(&self.funnel, keys))
    }

    /// Returns for each key whether it might be in the filter, like [`contains_many`](Self::contains_many), for keys that are
    /// in the encoding of the funnel already. The funnel need not take keys, as [`HashId`](crate::HashId) does not.
    #[must_use]
    pub(crate) fn contains_many_bytes<'k>(&self, keys: impl IntoIterator<Item = &'k [u8]>) -> Vec<bool>
    where
        F: Hashing,
    {
        let hashes = keys.into_iter().map(|key| self.funnel.hash_bytes(key).into());
        self.answers(hashes)
    }

    fn answers(&self, hashes: impl Iterator<Item = B::Hash>) -> Vec<bool> {
        let mut answers = Vec::with_capacity(hashes.size_hint().0);
        in_batches(hashes, |hashes| {
            self.backend.contains_batch(hashes, &mut answers);
            true
        });
        answers
    }

    /// Returns the state of the filter. Bloom filters are read as a whole. The rate of those of Guava, Spark and RedisBloom
    /// and of counting filters is that of their probes for the keys that the ones suggest
    /// ([`DoubleHashing::rate`](filter_policy::sizing::DoubleHashing::rate), which takes some milliseconds), and of a chain
    /// `1 - product of (1 - rate)` over its links.
    pub fn stats(&self) -> Stats {
        self.backend.stats()
    }

    /// Returns the probability that an absent key seems to be in the filter now; see [`stats`](Self::stats).
    pub fn expected_rate(&self) -> f64 {
        self.stats().expected_rate
    }

    /// Returns the number of bits, of all counters, slots or links: Spark's `bitSize`.
    #[inline]
    pub fn bits(&self) -> u64 {
        self.backend.bits()
    }

    /// Returns the memory of the filter's bits in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.bits().div_ceil(64) * 8
    }

    /// Returns the number of set bits, of counters that are not 0, or of slots that are taken: Spark's `cardinality`. Reads a
    /// Bloom filter as a whole.
    ///
    /// While other threads insert, the count includes at least the bits of every insertion that happened before this
    /// call, and at most the bits that are set when it returns.
    pub fn ones(&self) -> u64 {
        self.backend.ones()
    }

    /// Returns the number of different keys, where it is not [counted](Self::len) an estimate from the share of ones: Guava's
    /// `approximateElementCount`. `None` if too few bits are left for an error of 5 %. Reads a Bloom filter as a whole.
    pub fn estimated_len(&self) -> Option<u64> {
        self.backend.estimated_len()
    }

    /// Checks that the filters can be merged: equal sizes, probe counts, strategies or versions, and funnels.
    ///
    /// Unlike in Guava, a filter is compatible with itself: merging would change nothing.
    ///
    /// # Errors
    ///
    /// [`Incompatible`](crate::Error::Incompatible) names the first difference and both values, or says why filters of the
    /// kind are not merged.
    pub fn check_compatible(&self, other: &Self) -> Result<(), Error>
    where
        F: PartialEq + fmt::Debug,
    {
        self.backend.check_compatible(&other.backend)?;
        Error::check_equal("funnels", &self.funnel, &other.funnel)
    }
}

/// Queries for keys that are hashed already.
impl<B: Backend, F: PartialEq, A> Filter<B, F, A> {
    /// Returns the hash without its funnel, if that is this filter's.
    #[inline]
    fn own(&self, hash: &Hashed<F>) -> Result<Hash128, Error> {
        hash.under(&self.funnel).ok_or_else(Error::other_funnel)
    }

    fn check_own(&self, hashes: &[Hashed<F>]) -> Result<(), Error> {
        hashes.iter().try_for_each(|hash| self.own(hash).map(drop))
    }

    /// Returns whether a key that is hashed already might be in the filter. The answer is true for a hash that was made
    /// with a funnel that is not equal to this filter's.
    #[inline]
    #[must_use]
    pub fn contains_hashed(&self, hash: &Hashed<F>) -> bool {
        let contains = |hash: Hash128| self.backend.contains(hash.into());
        self.own(hash).map_or(true, contains)
    }

    /// Returns for each key that is hashed already what [`contains_hashed`](Self::contains_hashed) would return.
    #[must_use]
    pub fn contains_many_hashed(&self, hashes: &[Hashed<F>]) -> Vec<bool> {
        let mut answers = self.answers(hashed_parts::<B, F>(hashes));
        // No pass at all for funnels without fields, which are always equal.
        for (answer, hash) in answers.iter_mut().zip(hashes) {
            *answer |= self.own(hash).is_err();
        }
        answers
    }
}

/// Filters that count their keys.
impl<B: Counted, F> Filter<B, F> {
    /// Returns the number of keys: in a counting filter the insertions minus the removals, never below 0; in a cuckoo filter
    /// with all copies; in RedisBloom's the number of insertions that changed bits.
    pub fn len(&self) -> u64 {
        self.backend.count()
    }

    /// Returns whether [`len`](Self::len) is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Insertions by one thread at a time. Where one can fail, it returns a `Result`.
impl<B: Exclusive, F> Filter<B, F> {
    /// Inserts a key. True means that it was certainly absent.
    ///
    /// # Errors
    ///
    /// Of a cuckoo filter [`Full`](crate::Error::Full) and [`TooManyCopies`](crate::Error::TooManyCopies), and of a chain of
    /// RedisBloom `Full` and the errors of another link. Nothing has changed then.
    #[inline]
    pub fn insert<T: ?Sized>(&mut self, key: &T) -> B::New
    where
        F: Funnel<T>,
    {
        let hash = Hash128::of_key(&self.funnel, key);
        self.backend.insert(hash.into())
    }

    /// Inserts keys in order. In filters that are larger than the processor's caches this takes a fraction of the time of
    /// single calls. If the filter refuses a key, those before it are inserted, and none after it.
    ///
    /// A blocked filter, or one of Guava or Spark, of 64 MiB or more is filled a part at a time if the iterator announces
    /// enough keys: one for each 32 bytes of the filter always is. This takes half of the filter's size in additional memory,
    /// if there is as much. If the iterator panics, keys before that may be missing.
    /// Fails as [`insert`](Self::insert).
    pub fn insert_many<'k, T: ?Sized + 'k>(&mut self, keys: impl IntoIterator<Item = &'k T>) -> B::Done
    where
        F: Funnel<T>,
    {
        let hashes = parts::<B, F, T>(&self.funnel, keys);
        B::done(self.backend.insert_all(hashes))
    }

    /// Adds the keys of another filter, or says why not.
    pub(crate) fn add_compatible(&mut self, other: &Self) -> Result<(), Error>
    where
        F: PartialEq + fmt::Debug,
    {
        self.check_compatible(other)?;
        if let Ok(merge) = B::MERGE {
            merge(&mut self.backend, &other.backend);
        }
        Ok(())
    }

    /// Inserts keys by their bytes, which are in the encoding of the funnel.
    pub(crate) fn put_bytes(&mut self, keys: &[&[u8]]) -> Result<(), Error>
    where
        F: Hashing,
    {
        let hashes = keys.iter().map(|key| self.funnel.hash_bytes(key).into());
        self.backend.insert_all(hashes)
    }

    /// Removes all keys and keeps the memory; of a chain the first link alone.
    pub fn clear(&mut self) {
        self.backend.clear();
    }
}

/// Insertions of keys that are hashed already.
impl<B: Exclusive, F: PartialEq> Filter<B, F> {
    /// Inserts a key that is hashed already, like [`insert`](Self::insert).
    ///
    /// # Errors
    ///
    /// The errors of [`insert`](Self::insert), and [`Incompatible`](crate::Error::Incompatible) if the hash was made
    /// with a funnel that is not equal to this filter's. Nothing is inserted then.
    #[inline]
    pub fn insert_hashed(&mut self, hash: &Hashed<F>) -> Result<bool, Error> {
        let hash = self.own(hash)?;
        B::new_result(self.backend.insert(hash.into()))
    }

    /// Inserts keys that are hashed already, like [`insert_many`](Self::insert_many). Fails as
    /// [`insert_hashed`](Self::insert_hashed), for a hash of another funnel before the first key is inserted.
    pub fn insert_many_hashed(&mut self, hashes: &[Hashed<F>]) -> Result<(), Error> {
        self.check_own(hashes)?;
        self.backend.insert_all(hashed_parts::<B, F>(hashes))
    }
}

/// Insertions by many threads.
impl<B: Concurrent, F> Filter<B, F, Shared> {
    /// Inserts a key. True means that a bit was zero, so that the key was certainly absent.
    #[inline]
    pub fn insert<T: ?Sized>(&self, key: &T) -> bool
    where
        F: Funnel<T>,
    {
        let hash = Hash128::of_key(&self.funnel, key);
        self.backend.insert(hash.into())
    }

    /// Inserts keys. In filters that are larger than the processor's caches this takes a fraction of the time of single calls.
    pub fn insert_many<'k, T: ?Sized + 'k>(&self, keys: impl IntoIterator<Item = &'k T>)
    where
        F: Funnel<T>,
    {
        self.put(parts::<B, F, T>(&self.funnel, keys));
    }

    fn put(&self, hashes: impl Iterator<Item = B::Hash>) {
        in_batches(hashes, |hashes| {
            self.backend.insert_batch(hashes);
            true
        });
    }

    /// Merges all keys of `other` into this filter. Other threads may keep using both. A filter for one thread becomes a
    /// concurrent filter by `into`.
    ///
    /// - **Afterwards** this filter contains every key whose insertion into `other` happened before this call, and
    ///   has lost no bit.
    /// - If an insertion into `other` is under way or comes later, all, some or none of the key's bits are merged.
    /// - Words are merged one after the other: a concurrent query finds some keys of `other` and misses some.
    ///
    /// Fails as [`check_compatible`](Self::check_compatible), unchanged.
    pub fn merge(&self, other: &Self) -> Result<(), Error>
    where
        F: PartialEq + fmt::Debug,
    {
        self.check_compatible(other)?;
        self.backend.merge(&other.backend);
        Ok(())
    }

    /// Returns a copy of the filter as it is now.
    ///
    /// The copy contains every key whose insertion happened before this call, and all, some or none of the bits of
    /// concurrent insertions. It may therefore contain a key but lack one that the same thread inserted earlier.
    /// It takes as much memory as the filter; like `clone`, this aborts if the memory is not available.
    #[must_use]
    pub fn snapshot(&self) -> Filter<B::Alone, F>
    where
        F: Clone,
    {
        Filter::of(self.backend.copy(), self.funnel.clone())
    }

    /// Converts the filter to one for a single thread, with every inserted key. Ownership proves that no other thread is
    /// using it. The memory of Guava's filter is reused, not copied, on platforms where an atomic word has the layout of a
    /// plain one.
    #[must_use]
    pub fn into_sequential(self) -> Filter<B::Alone, F> {
        Filter::of(self.backend.into_alone(), self.funnel)
    }
}

impl<B: Concurrent, F: PartialEq> Filter<B, F, Shared> {
    /// Inserts a key that is hashed already, like [`insert`](Self::insert).
    ///
    /// # Errors
    ///
    /// [`Incompatible`](crate::Error::Incompatible) if the hash was made with a funnel that is not equal to this filter's.
    /// Nothing is inserted then.
    #[inline]
    pub fn insert_hashed(&self, hash: &Hashed<F>) -> Result<bool, Error> {
        let hash = self.own(hash)?;
        Ok(self.backend.insert(hash.into()))
    }

    /// Inserts keys that are hashed already, like [`insert_many`](Self::insert_many). Fails as
    /// [`insert_hashed`](Self::insert_hashed), for a hash of another funnel before the first key is inserted.
    pub fn insert_many_hashed(&self, hashes: &[Hashed<F>]) -> Result<(), Error> {
        self.check_own(hashes)?;
        self.put(hashed_parts::<B, F>(hashes));
        Ok(())
    }
}

/// Reuses the memory of Guava's filter where an atomic word has the layout of a plain one.
impl<B: Concurrent, F> From<Filter<B::Alone, F>> for Filter<B, F, Shared> {
    fn from(filter: Filter<B::Alone, F>) -> Self {
        Self::of(B::from_alone(filter.backend), filter.funnel)
    }
}

/// Filters of which two can become one.
impl<B: Merge, F: PartialEq + fmt::Debug> Filter<B, F> {
    /// Merges all keys of `other` into this filter: Guava's `putAll`, Spark's `mergeInPlace`. Fails as
    /// [`check_compatible`](Self::check_compatible), unchanged.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        const { assert!(B::MERGE.is_ok(), "`Merge` says that there is a function") };
        self.add_compatible(other)
    }
}

/// Filters from which keys can be removed.
impl<B: Remove, F> Filter<B, F> {
    /// Removes one copy of the key if it looks present. Returns whether it did.
    ///
    /// Remove only keys that were inserted. Removing another one that looks present takes the fingerprint of an inserted key
    /// from a cuckoo filter, and lowers counters of others in a counting filter: the call returns true, and inserted keys are
    /// missing from then on. So let the data behind the filter decide, not `contains`, and rebuild the filter from the data
    /// after a possible wrong removal. If the call returns false, nothing changed, and the key was certainly absent.
    pub fn remove<T: ?Sized>(&mut self, key: &T) -> bool
    where
        F: Funnel<T>,
    {
        let hash = Hash128::of_key(&self.funnel, key);
        self.backend.remove(hash.into())
    }
}

impl<B: Remove, F: PartialEq> Filter<B, F> {
    /// Removes a key that is hashed already, like [`remove`](Self::remove).
    ///
    /// # Errors
    ///
    /// [`Incompatible`](crate::Error::Incompatible) if the hash was made with a funnel that is not equal to this
    /// filter's. Nothing is removed then, and the key may be in the filter.
    pub fn remove_hashed(&mut self, hash: &Hashed<F>) -> Result<bool, Error> {
        let hash = self.own(hash)?;
        Ok(self.backend.remove(hash.into()))
    }
}
