//! A slot for the current filter, which can be replaced while threads read and write.

use alloc::sync::Arc;
use alloc::vec::Vec;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use arc_swap::ArcSwap;

use crate::backend::Concurrent;
use crate::error::Error;
use crate::filter::{Filter, Shared};
use crate::funnel::Funnel;

/// The current filter and the one being built. A state is never changed, only replaced as a whole.
#[derive(Debug)]
struct State<T> {
    current: Arc<T>,
    next: Option<Arc<T>>,
}

impl<T> State<T> {
    /// Returns the filters that insertions go into, the next one first: a thread that finds a key in the current
    /// filter also finds it in the next.
    fn filters(&self) -> impl Iterator<Item = &Arc<T>> {
        self.next.iter().chain([&self.current])
    }
}

/// A slot for the current filter, which threads share until another filter, of any size, replaces it as a whole.
/// Queries, insertions and replacements do not wait for each other. Needs the feature `slot`.
///
/// The filter is of any type. A [`ConcurrentBlockedBloomFilter`](crate::ConcurrentBlockedBloomFilter) has methods here for queries and insertions:
///
/// ```
/// use membership_filters::{ConcurrentBlockedBloomFilter, Slot, Xxph3};
///
/// let blocked = Slot::new(ConcurrentBlockedBloomFilter::with_capacity(1000, 0.01)?);
/// blocked.insert("evil.example");
///
/// // The list has changed: rebuild the filter from its source.
/// let rebuild = blocked.rebuild(ConcurrentBlockedBloomFilter::with_capacity(5000, 0.01)?)?;
/// for host in ["worse.example", "worst.example"] {
///     rebuild.filter().insert(host);
/// }
/// assert!(blocked.contains("evil.example")); // still the old filter
/// blocked.insert("new.example"); // into both
/// rebuild.commit();
/// assert!(blocked.contains("worst.example"));
/// assert!(blocked.contains("new.example"));
/// assert!(!blocked.contains("evil.example"));
///
/// // Stored with a checksum, and read back at the next start.
/// let stored = blocked.load().to_bytes();
/// let blocked = Slot::new(ConcurrentBlockedBloomFilter::from_bytes(&stored, Xxph3)?);
/// assert!(blocked.contains("worst.example"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Put another filter into an `RwLock`, query it by [`Slot::with`] and insert by [`Slot::apply`]; here a filter of Spark, and
/// the same way the cuckoo, counting and RedisBloom's filters:
///
/// ```
/// use membership_filters::Slot;
/// use membership_filters::spark::{BloomFilter, Parameters};
/// use std::sync::RwLock;
///
/// let empty = || BloomFilter::new(&Parameters::new(1000, 0.01)?).map(RwLock::new);
/// let ids = Slot::new(empty()?);
/// let insert = |id: i64| ids.apply(|filter| filter.write().unwrap().insert(&id));
/// let contains = |id: i64| ids.with(|filter| filter.contains(&id));
///
/// insert(7);
/// let rebuild = ids.rebuild(empty()?)?;
/// rebuild.filter().write().unwrap().insert(&8);
/// insert(9); // into both
/// rebuild.commit();
/// assert!(!contains(7) && contains(8) && contains(9));
/// # Ok::<(), membership_filters::Error>(())
/// ```
///
/// # Who owns a filter
///
/// - The slot owns the current filter and the one being built. [`Slot::load`] makes its caller an owner too.
/// - A loaded filter lives as long as its owner keeps it, whatever happens to the slot. Keys that are inserted
///   after the filter was replaced never get into it.
/// - A replaced filter is freed by the last of its owners, on that owner's thread. A call of [`Slot::with`] or
///   [`Slot::apply`] is an owner until it returns, so it may be the last.
///
/// # Who may write
///
/// - Any number of threads may insert keys at any time.
/// - One rebuild may be under way at a time. Beginning another is an error until the [`Rebuild`] is committed or
///   dropped.
/// - Any thread may call [`Slot::store`] at any time. Of two calls the later wins. A rebuild goes on and replaces the
///   stored filter.
///
/// # Keys that are inserted during a rebuild
///
/// - When [`Slot::apply`] or `insert` returns, the key is in the current filter and, if a rebuild is under way, in the filter
///   being built, unless `apply` returns an error. The call notices a rebuild that begins or ends meanwhile.
/// - A committed rebuild lacks a key only if its insertion ended before the rebuild began *and* the rebuild did
///   not find it in the source.
/// - The rule: **write the key to the source first (the table, the list), then insert it into the slot; begin the
///   rebuild first, then read the source.** No key is lost then, provided that a reader of the source sees earlier
///   writes, as a database or a lock ensures.
/// - The rule does not hold for insertions into a loaded filter, which bypass the slot.
/// - **Removals**: a filter that counts may get a key twice, from the slot and from the source, and is right as long as
///   nothing is removed. Do not remove keys while a rebuild is under way: the filter being built may not hold them
///   yet, and to remove a key that a filter does not hold can take away another.
#[derive(Debug)]
pub struct Slot<T> {
    state: ArcSwap<State<T>>,
    /// Held while the state is replaced by one derived from it.
    writers: Mutex<()>,
}

impl<T> Slot<T> {
    /// Creates a slot with this filter.
    pub fn new(filter: T) -> Self {
        let (current, next) = (Arc::new(filter), None);
        Self {
            state: ArcSwap::from_pointee(State { current, next }),
            writers: Mutex::new(()),
        }
    }

    /// Returns the current filter. It stays the same filter while the caller keeps it. Query it, and insert through the slot:
    /// a key that is inserted into a loaded filter is in no other, and absent once a rebuild replaced it.
    pub fn load(&self) -> Arc<T> {
        Arc::clone(&self.state.load().current)
    }

    /// Calls `insert` once for the current filter and, during a rebuild, once for the one being built. If a rebuild begins or
    /// the filter is replaced meanwhile, the new filter gets a call, too. An insertion that can fail goes through
    /// [`try_apply`](Self::try_apply).
    ///
    /// Returns the result for the filter that was current when the call began.
    #[inline]
    pub fn apply(&self, insert: impl Fn(&T) -> bool) -> bool {
        self.each(insert, |_| false)
    }

    /// Calls `insert` as [`apply`](Self::apply) does.
    ///
    /// # Errors
    ///
    /// The error of any filter, for example of a cuckoo filter being built that is full. The key is then missing from that
    /// filter, and so after the commit.
    pub fn try_apply<R, E>(&self, insert: impl Fn(&T) -> Result<R, E>) -> Result<R, E> {
        self.each(insert, Result::is_err)
    }

    #[inline]
    fn each<R>(&self, insert: impl Fn(&T) -> R, is_error: impl Fn(&R) -> bool) -> R {
        let mut state = self.state.load();
        let error = |filter: &Arc<T>| Some(insert(filter)).filter(&is_error);
        let mut failed = state.next.as_ref().and_then(error);
        let result = insert(&state.current);
        loop {
            let now = self.state.load();
            // The old state is held here, so another one cannot have its address.
            if Arc::ptr_eq(&now, &state) {
                return failed.unwrap_or(result);
            }
            // A filter that left the slot never comes back, so only the last state needs to be compared.
            let is_new = |filter: &&Arc<T>| !state.filters().any(|old| Arc::ptr_eq(old, filter));
            for filter in now.filters().filter(is_new) {
                failed = error(filter).or(failed);
            }
            state = now;
        }
    }

    /// Queries the current filter.
    #[inline]
    pub(crate) fn query<R>(&self, query: impl FnOnce(&T) -> R) -> R {
        query(&self.state.load().current)
    }

    /// Makes this filter the current one. Returns the previous filter.
    ///
    /// Keys of the previous filter are not carried over, except by insertions still under way. If keys are
    /// inserted while the new filter is built, call [`Slot::rebuild`] instead.
    pub fn store(&self, filter: T) -> Arc<T> {
        let current = Arc::new(filter);
        let _writer = self.write();
        let next = self.state.load().next.clone();
        let previous = self.state.swap(Arc::new(State { current, next }));
        Arc::clone(&previous.current)
    }

    /// Begins a rebuild: `filter`, usually empty, becomes current when the rebuild is committed. From then on, the slot
    /// inserts keys into both filters until the rebuild ends.
    ///
    /// # Errors
    ///
    /// [`Error::RebuildUnderWay`] while there is another [`Rebuild`] of this slot.
    pub fn rebuild(&self, filter: T) -> Result<Rebuild<'_, T>, Error> {
        let filter = Arc::new(filter);
        let _writer = self.write();
        let state = self.state.load();
        if state.next.is_some() {
            return Err(Error::RebuildUnderWay);
        }
        let (current, next) = (Arc::clone(&state.current), Some(Arc::clone(&filter)));
        self.state.store(Arc::new(State { current, next }));
        Ok(Rebuild {
            slot: self,
            filter,
            committed: false,
        })
    }

    /// Locks the state against other writers. No code under the lock panics halfway through a change, so poison is
    /// harmless.
    fn write(&self) -> MutexGuard<'_, ()> {
        self.writers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Queries and insertions through a slot whose filter threads share without a lock.
impl<B: Concurrent, F> Slot<Filter<B, F, Shared>> {
    /// Returns whether the key might be in the current filter.
    ///
    /// False means that no insertion of the key into the current filter happened before this call, neither through
    /// the slot nor while the filter was built.
    #[inline]
    #[must_use]
    pub fn contains<T: ?Sized>(&self, key: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.query(|filter| filter.contains(key))
    }

    /// Returns for each key whether it might be in the current filter. All are looked up in the same filter.
    #[must_use]
    pub fn contains_many<'k, T: ?Sized + 'k>(&self, keys: impl IntoIterator<Item = &'k T>) -> Vec<bool>
    where
        F: Funnel<T>,
    {
        self.query(|filter| filter.contains_many(keys))
    }

    /// Inserts a key into the current filter and, during a rebuild, into the one being built. Returns true if
    /// a bit of the key was zero in the filter that was current when the call began.
    ///
    /// No closure gets the filter for an insertion that would miss the one being built:
    ///
    /// ```compile_fail,E0599
    /// # use membership_filters::{ConcurrentBlockedBloomFilter, Slot};
    /// let slot = Slot::new(ConcurrentBlockedBloomFilter::with_capacity(1000, 0.01)?);
    /// slot.with(|filter| filter.insert("ann"));
    /// # Ok::<(), membership_filters::Error>(())
    /// ```
    #[inline]
    pub fn insert<T: ?Sized>(&self, key: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.apply(|filter| filter.insert(key))
    }

    /// Inserts keys as [`insert`](Self::insert) does.
    pub fn insert_many<'k, T: ?Sized + 'k>(&self, keys: impl IntoIterator<Item = &'k T, IntoIter: Clone>)
    where
        F: Funnel<T>,
    {
        let keys = keys.into_iter();
        self.each(|filter| filter.insert_many(keys.clone()), |()| false);
    }
}

impl<T> Slot<RwLock<T>> {
    /// Queries the current filter under its lock, for reading only: insertions go through [`Slot::apply`], which reaches the
    /// filter being built as well. Cheaper than [`Slot::load`], because threads need not count the owners. A
    /// [`ConcurrentBlockedBloomFilter`](crate::ConcurrentBlockedBloomFilter) goes into a slot without a lock: `query` could insert into the current one alone.
    ///
    /// ```compile_fail,E0596
    /// # use membership_filters::{Slot, spark::{BloomFilter, Parameters}};
    /// # let empty = BloomFilter::new(&Parameters::new(1000, 0.01)?)?;
    /// let ids = Slot::new(std::sync::RwLock::new(empty));
    /// ids.with(|filter| filter.insert(&7_i64));
    /// # Ok::<(), membership_filters::Error>(())
    /// ```
    #[inline]
    pub fn with<R>(&self, query: impl FnOnce(&T) -> R) -> R {
        let state = self.state.load();
        let filter = state.current.read().unwrap_or_else(PoisonError::into_inner);
        query(&filter)
    }
}

/// A rebuild under way, from [`Slot::rebuild`].
///
/// Dropping it without [`Rebuild::commit`], for example after an error or a panic, keeps the current filter.
#[derive(Debug)]
#[must_use = "a rebuild that is dropped is abandoned"]
pub struct Rebuild<'a, T> {
    slot: &'a Slot<T>,
    filter: Arc<T>,
    committed: bool,
}

impl<T> Rebuild<'_, T> {
    /// Returns the filter being built. Insert the keys of the source into it, from any number of threads.
    pub fn filter(&self) -> &T {
        &self.filter
    }

    /// Makes the new filter the current one. Returns the previous filter.
    pub fn commit(mut self) -> Arc<T> {
        self.committed = true;
        let _writer = self.slot.write();
        let (current, next) = (Arc::clone(&self.filter), None);
        let previous = self.slot.state.swap(Arc::new(State { current, next }));
        Arc::clone(&previous.current)
    }
}

impl<T> Drop for Rebuild<'_, T> {
    fn drop(&mut self) {
        if !self.committed {
            let _writer = self.slot.write();
            let current = self.slot.load();
            self.slot.state.store(Arc::new(State { current, next: None }));
        }
    }
}
