//! A slot for the current filter, which can be replaced while threads read and write.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;

use crate::concurrent::ConcurrentBloomFilter;
use crate::error::{Error, ErrorKind};
use crate::funnel::Funnel;
use crate::hash::Hash128;

/// The current filter and the one being built. A state is never changed, only replaced as a whole.
struct State<F> {
    current: Arc<ConcurrentBloomFilter<F>>,
    next: Option<Arc<ConcurrentBloomFilter<F>>>,
}

/// A slot for the current filter, which threads share until another filter, of any size, replaces it as a whole.
/// Queries, insertions and replacements do not wait for each other. Needs the feature `slot`.
///
/// ```
/// use guava_bloom::{ConcurrentBloomFilter, Parameters, Slot, Utf8, envelope};
///
/// let blocked = Slot::new(ConcurrentBloomFilter::new(Utf8, &Parameters::new(1000, 0.01)?)?);
/// blocked.insert("evil.example");
///
/// // The list has changed: rebuild the filter from its source.
/// let rebuild = blocked.rebuild(ConcurrentBloomFilter::new(Utf8, &Parameters::new(5000, 0.01)?)?)?;
/// for host in ["worse.example", "worst.example"] {
///     rebuild.filter().insert(host);
/// }
/// assert!(blocked.might_contain("evil.example")); // still the old filter
/// blocked.insert("new.example"); // into both
/// rebuild.commit();
/// assert!(blocked.might_contain("worst.example"));
/// assert!(blocked.might_contain("new.example"));
/// assert!(!blocked.might_contain("evil.example"));
///
/// // Stored with a checksum, and read back at the next start.
/// let stored = envelope::to_bytes(&*blocked.load());
/// let blocked = Slot::new(envelope::from_bytes::<ConcurrentBloomFilter<Utf8>>(&stored, Utf8)?);
/// assert!(blocked.might_contain("worst.example"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Who owns a filter
///
/// - The slot owns the current filter and the one being built. [`Slot::load`] makes its caller an owner too.
/// - A loaded filter lives as long as its owner keeps it, whatever happens to the slot. Elements that are inserted
///   after the filter was replaced never get into it.
/// - A replaced filter is freed by the last of its owners, on that owner's thread. A call of [`Slot::might_contain`] or
///   [`Slot::insert`] is an owner until it returns, so it may be the last.
///
/// # Who may write
///
/// - Any number of threads may insert elements at any time.
/// - One rebuild may be under way at a time. Beginning another is an error until the [`Rebuild`] is committed or
///   dropped.
/// - Any thread may call [`Slot::store`] at any time. Of two calls the later wins. A rebuild goes on and replaces the
///   stored filter.
///
/// # Elements that are inserted during a rebuild
///
/// - When [`Slot::insert`] returns, the element is in the current filter and, if a rebuild is under way, in the filter
///   being built. The call notices a rebuild that begins or ends meanwhile.
/// - A committed rebuild lacks an element only if its insertion ended before the rebuild began *and* the rebuild did
///   not find it in the source.
/// - The rule: **write the element to the source first (the table, the list), then insert it into the slot; begin the
///   rebuild first, then read the source.** No element is lost then, provided that a reader of the source sees earlier
///   writes, as a database or a lock ensures.
/// - The rule does not hold for insertions into a loaded filter, which bypass the slot.
pub struct Slot<F> {
    state: ArcSwap<State<F>>,
    /// Held while the state is replaced by one derived from it.
    writers: Mutex<()>,
}

impl<F> Slot<F> {
    /// Creates a slot with this filter, which may also be a [`BloomFilter`](crate::BloomFilter).
    pub fn new(filter: impl Into<ConcurrentBloomFilter<F>>) -> Self {
        Self {
            state: ArcSwap::from_pointee(State {
                current: Arc::new(filter.into()),
                next: None,
            }),
            writers: Mutex::new(()),
        }
    }

    /// Reads Guava's stream into a new slot, like [`ConcurrentBloomFilter::read_from`]. To replace the filter of an
    /// existing slot, call [`Slot::store`].
    ///
    /// # Errors
    ///
    /// The errors of [`ConcurrentBloomFilter::read_from`].
    pub fn read_from(reader: impl std::io::Read, funnel: F) -> Result<Self, Error> {
        ConcurrentBloomFilter::read_from(reader, funnel).map(Self::new)
    }

    /// Returns the current filter. It stays the same filter while the caller keeps it.
    pub fn load(&self) -> Arc<ConcurrentBloomFilter<F>> {
        Arc::clone(&self.state.load().current)
    }

    /// Returns whether the element might be in the current filter.
    ///
    /// False means that no insertion of the element into the current filter happened before this call, neither through
    /// the slot nor while the filter was built.
    #[inline]
    pub fn might_contain<T: ?Sized>(&self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.state.load().current.might_contain(item)
    }

    /// Returns whether an element that was hashed elsewhere might be in the current filter.
    #[inline]
    pub fn might_contain_hash(&self, hash: Hash128) -> bool {
        self.state.load().current.might_contain_hash(hash)
    }

    /// Returns whether each element might be in the current filter. All are looked up in the same filter.
    pub fn might_contain_many<T>(&self, items: &[T]) -> Vec<bool>
    where
        F: Funnel<T>,
    {
        self.state.load().current.might_contain_many(items)
    }

    /// Returns whether each of these elements, which were hashed elsewhere, might be in the current filter.
    pub fn might_contain_hashes(&self, hashes: &[Hash128]) -> Vec<bool> {
        self.state.load().current.might_contain_hashes(hashes)
    }

    /// Inserts an element into the current filter and, during a rebuild, into the one being built. Returns true if this
    /// call changed a bit of the filter that was current when it began.
    #[inline]
    pub fn insert<T: ?Sized>(&self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.insert_by(|filter| filter.insert(item))
    }

    /// Inserts an element that was hashed elsewhere, for slots whose filters all have equal funnels.
    #[inline]
    pub fn insert_hash(&self, hash: Hash128) -> bool {
        self.insert_by(|filter| filter.insert_hash(hash))
    }

    /// Inserts elements, and returns for each what [`Slot::insert`] would return.
    pub fn insert_many<T>(&self, items: &[T]) -> Vec<bool>
    where
        F: Funnel<T>,
    {
        self.insert_by(|filter| filter.insert_many(items))
    }

    /// Inserts elements that were hashed elsewhere, and returns for each what [`Slot::insert`] would return.
    pub fn insert_hashes(&self, hashes: &[Hash128]) -> Vec<bool> {
        self.insert_by(|filter| filter.insert_hashes(hashes))
    }

    fn insert_by<R>(&self, insert: impl Fn(&ConcurrentBloomFilter<F>) -> R) -> R {
        // The next filter first: a thread that finds the element in the current filter also finds it in the next.
        let insert_into_both = |state: &State<F>| {
            if let Some(next) = &state.next {
                insert(next);
            }
            insert(&state.current)
        };
        let mut state = self.state.load();
        let changed = insert_into_both(&state);
        loop {
            let now = self.state.load();
            // The old state is held here, so another one cannot have its address.
            if Arc::ptr_eq(&now, &state) {
                return changed;
            }
            insert_into_both(&now);
            state = now;
        }
    }

    /// Makes this filter the current one. Returns the previous filter.
    ///
    /// Elements of the previous filter are not carried over, except by insertions still under way. If elements are
    /// inserted while the new filter is built, call [`Slot::rebuild`] instead.
    pub fn store(&self, filter: impl Into<ConcurrentBloomFilter<F>>) -> Arc<ConcurrentBloomFilter<F>> {
        let current = Arc::new(filter.into());
        let _writer = self.write();
        let next = self.state.load().next.clone();
        let previous = self.state.swap(Arc::new(State { current, next }));
        Arc::clone(&previous.current)
    }

    /// Begins a rebuild: `filter`, usually empty, becomes current when the rebuild is committed. From then on, the slot
    /// inserts elements into both filters until the rebuild ends.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::RebuildUnderWay`] while there is another [`Rebuild`] of this slot.
    pub fn rebuild(&self, filter: impl Into<ConcurrentBloomFilter<F>>) -> Result<Rebuild<'_, F>, Error> {
        let filter = Arc::new(filter.into());
        let _writer = self.write();
        let state = self.state.load();
        if state.next.is_some() {
            return Err(Error::new(
                ErrorKind::RebuildUnderWay,
                "the number of rebuilds under way",
                "0",
                1,
            ));
        }
        self.state.store(Arc::new(State {
            current: Arc::clone(&state.current),
            next: Some(Arc::clone(&filter)),
        }));
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

impl<F: fmt::Debug> fmt::Debug for Slot<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.load();
        f.debug_struct("Slot")
            .field("current", &state.current)
            .field("next", &state.next)
            .finish_non_exhaustive()
    }
}

/// A rebuild under way, from [`Slot::rebuild`].
///
/// Dropping it without [`Rebuild::commit`], for example after an error or a panic, keeps the current filter.
#[must_use = "a rebuild that is dropped is abandoned"]
pub struct Rebuild<'a, F> {
    slot: &'a Slot<F>,
    filter: Arc<ConcurrentBloomFilter<F>>,
    committed: bool,
}

impl<F> Rebuild<'_, F> {
    /// Returns the filter being built. Insert the elements of the source into it, from any number of threads.
    pub fn filter(&self) -> &ConcurrentBloomFilter<F> {
        &self.filter
    }

    /// Makes the new filter the current one. Returns the previous filter.
    pub fn commit(mut self) -> Arc<ConcurrentBloomFilter<F>> {
        self.committed = true;
        let _writer = self.slot.write();
        let previous = self.slot.state.swap(Arc::new(State {
            current: Arc::clone(&self.filter),
            next: None,
        }));
        Arc::clone(&previous.current)
    }
}

impl<F> Drop for Rebuild<'_, F> {
    fn drop(&mut self) {
        if !self.committed {
            let _writer = self.slot.write();
            let current = self.slot.load();
            self.slot.state.store(Arc::new(State { current, next: None }));
        }
    }
}

impl<F: fmt::Debug> fmt::Debug for Rebuild<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rebuild")
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}
