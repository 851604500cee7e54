//! A slot for the current filter, which a rebuilt one replaces while threads read and write.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;

use crate::concurrent::ConcurrentBloomFilter;
use crate::error::{Error, ErrorKind};
use crate::funnel::Funnel;
use crate::hash::Hash128;

/// The filter that is current, and the one that is being built. Never changed: replaced as a whole.
struct State<F> {
    current: Arc<ConcurrentBloomFilter<F>>,
    next: Option<Arc<ConcurrentBloomFilter<F>>>,
}

/// Holds the current filter, which threads share until another of any size replaces it as a whole. Queries, insertions and
/// replacements do not wait for each other. Needs the feature `slot`.
///
/// ```
/// use guava_bloom::{ConcurrentBloomFilter, Parameters, Slot, Utf8, envelope};
///
/// let blocked = Slot::new(ConcurrentBloomFilter::new(Utf8, &Parameters::new(1000, 0.01)?)?);
/// blocked.insert("evil.example");
///
/// // The list has changed: build it anew from where it is kept.
/// let rebuild = blocked.rebuild(ConcurrentBloomFilter::new(Utf8, &Parameters::new(5000, 0.01)?)?)?;
/// for host in ["worse.example", "worst.example"] {
///     rebuild.filter().insert(host);
/// }
/// assert!(blocked.might_contain("evil.example")); // still the old one
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
/// - The slot owns the current filter, and the one that is being built; [`Slot::load`] makes its caller an owner too.
/// - A filter that was loaded stays as long as its owner keeps it, whatever becomes of the slot. It is the one that was
///   current at that moment: elements that are inserted after the next replacement never come into it.
/// - A filter that was replaced is freed by the last of its owners, on that one's thread. A call of
///   [`Slot::might_contain`] or [`Slot::insert`] owns it until it returns, so that one of these may be the last.
///
/// # Who may write
///
/// - Elements are inserted by any number of threads, at any time.
/// - One rebuild is under way at a time; to begin another is an error until the [`Rebuild`] is committed or dropped.
/// - [`Slot::store`] may be called at any time, by any thread. Of two calls the later wins. A rebuild goes on and replaces
///   what was stored.
///
/// # Elements that are inserted during a rebuild
///
/// - When [`Slot::insert`] returns, the element is in the current filter and, if a rebuild is under way, in the filter that is
///   being built. A rebuild that begins or ends during the call is noticed by it.
/// - So a committed rebuild misses an element only if its insertion was over before the rebuild began *and* the rebuild did not
///   find it where it reads the elements from.
/// - Hence the rule: **write the element to the source first (the table, the list), then insert it into the slot; begin the
///   rebuild first, then read the source.** Then no element is lost, provided that who reads the source sees what was
///   written to it before, as a database or a lock ensures.
/// - An insertion into a filter that was loaded goes past the slot, and the rule does not hold for it.
pub struct Slot<F> {
    state: ArcSwap<State<F>>,
    /// Held while a new state is made of the present one.
    writers: Mutex<()>,
}

impl<F> Slot<F> {
    /// Creates a slot with this filter; a [`BloomFilter`](crate::BloomFilter) will do.
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
    /// As of [`ConcurrentBloomFilter::read_from`].
    pub fn read_from(reader: impl std::io::Read, funnel: F) -> Result<Self, Error> {
        ConcurrentBloomFilter::read_from(reader, funnel).map(Self::new)
    }

    /// Returns the current filter. It stays the same filter while the caller keeps it.
    pub fn load(&self) -> Arc<ConcurrentBloomFilter<F>> {
        Arc::clone(&self.state.load().current)
    }

    /// Returns whether the element might be in the current filter.
    ///
    /// False is certain in this sense: no insertion of the element into the current filter happened before this call, neither
    /// through the slot nor while the filter was built.
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

    /// Returns whether each element might be in the current filter: all are looked up in the same one.
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

    /// Inserts an element into the current filter and, during a rebuild, into the one that is being built. Returns true if
    /// this call changed a bit of the filter that was current when it began.
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
        // The next one first: who finds the element in the current one finds it in the one that follows too.
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

    /// Makes this filter the current one, and returns the previous one.
    ///
    /// Elements of the previous one are not in the new one, except by insertions still under way. Where elements are inserted
    /// while the new filter is made, call [`Slot::rebuild`] instead.
    pub fn store(&self, filter: impl Into<ConcurrentBloomFilter<F>>) -> Arc<ConcurrentBloomFilter<F>> {
        let current = Arc::new(filter.into());
        let _writer = self.write();
        let next = self.state.load().next.clone();
        let previous = self.state.swap(Arc::new(State { current, next }));
        Arc::clone(&previous.current)
    }

    /// Begins a rebuild: `filter`, usually empty, becomes current when the rebuild is committed. From now on the slot
    /// inserts elements into both filters.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::RebuildUnderWay`] as long as there is another [`Rebuild`] of this slot.
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

    /// Nothing under the lock panics halfway through a change, so a poisoned one guards what it should.
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

/// A rebuild that is under way, from [`Slot::rebuild`].
///
/// Dropped without [`Rebuild::commit`], as by an error or a panic while the elements are read, it leaves the slot with the
/// filter that is current.
#[must_use = "a rebuild that is dropped is abandoned"]
pub struct Rebuild<'a, F> {
    slot: &'a Slot<F>,
    filter: Arc<ConcurrentBloomFilter<F>>,
    committed: bool,
}

impl<F> Rebuild<'_, F> {
    /// Returns the filter that is being built. Insert the elements of the source into it, from any number of threads.
    pub fn filter(&self) -> &ConcurrentBloomFilter<F> {
        &self.filter
    }

    /// Makes the new filter the current one, and returns the previous one.
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
