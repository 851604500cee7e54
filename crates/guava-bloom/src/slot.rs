//! The place of the current filter, from which a rebuilt one takes over while others read and write.

use alloc::sync::Arc;
use core::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;

use crate::concurrent::ConcurrentBloomFilter;
use crate::funnel::Funnel;
use crate::hash::Hash128;

/// The filter that is current, and the one that is being built. Never changed: replaced as a whole.
struct State<F> {
    current: Arc<ConcurrentBloomFilter<F>>,
    next: Option<Arc<ConcurrentBloomFilter<F>>>,
}

/// A shared place for the current filter: it is replaced as a whole, by another of any size, while threads go on to ask it
/// and to put elements into it. Neither they nor the one who replaces it wait for each other. Needs the feature `std`.
///
/// ```
/// use guava_bloom::{ConcurrentBloomFilter, Parameters, Slot, Utf8};
///
/// let blocked = Slot::new(ConcurrentBloomFilter::new(Utf8, &Parameters::new(1000, 0.01)?)?);
/// blocked.put("evil.example");
///
/// // The list has changed: build it anew from where it is kept.
/// let rebuild = blocked.rebuild(ConcurrentBloomFilter::new(Utf8, &Parameters::new(5000, 0.01)?)?)?;
/// for host in ["worse.example", "worst.example"] {
///     rebuild.filter().put(host);
/// }
/// assert!(blocked.might_contain("evil.example")); // still the old one
/// blocked.put("new.example"); // into both
/// rebuild.finish();
/// assert!(blocked.might_contain("worst.example"));
/// assert!(blocked.might_contain("new.example"));
/// assert!(!blocked.might_contain("evil.example"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Who owns a filter
///
/// - The slot owns the current filter, and the one that is being built; [`Slot::load`] makes its caller an owner too.
/// - A filter that was loaded stays as long as its owner keeps it, whatever becomes of the slot. It is the one that was
///   current at that moment: elements that are put into the slot after the next replacement never come into it.
/// - A filter that was replaced is freed by the last of its owners, on that one's thread. A call of
///   [`Slot::might_contain`] or [`Slot::put`] owns it until it returns, so that one of these may be the last.
///
/// # Who may write
///
/// - Elements are put by any number of threads, at any time.
/// - One rebuild is under way at a time; to begin another is an error until the [`Rebuild`] is finished or dropped.
/// - [`Slot::store`] may be called at any time, by any thread. Of two calls the later wins. A rebuild goes on and replaces
///   what was stored.
///
/// # Elements that are put during a rebuild
///
/// - When [`Slot::put`] returns, the element is in the current filter and, if a rebuild is under way, in the filter that is
///   being built. A rebuild that begins or ends during the call is noticed by it.
/// - So a finished rebuild misses an element only if its `put` was over before the rebuild began *and* the rebuild did not
///   find it where it reads the elements from.
/// - Hence the rule: **write the element to the source first (the table, the list), then put it into the slot; begin the
///   rebuild first, then read the source.** Then no element is lost, provided that who reads the source sees what was
///   written to it before, as a database or a lock ensures.
/// - Who puts into a filter that was loaded goes past the slot, and the rule does not hold for it.
pub struct Slot<F> {
    state: ArcSwap<State<F>>,
    /// Held while a new state is made of the present one.
    writers: Mutex<()>,
}

impl<F> Slot<F> {
    /// A slot with this filter; a [`BloomFilter`](crate::BloomFilter) will do.
    pub fn new(filter: impl Into<ConcurrentBloomFilter<F>>) -> Self {
        Self {
            state: ArcSwap::from_pointee(State {
                current: Arc::new(filter.into()),
                next: None,
            }),
            writers: Mutex::new(()),
        }
    }

    /// The current filter, to keep: all questions to it are answered by the same filter.
    pub fn load(&self) -> Arc<ConcurrentBloomFilter<F>> {
        Arc::clone(&self.state.load().current)
    }

    /// [`ConcurrentBloomFilter::might_contain`] of the current filter.
    ///
    /// False is certain in this sense: no `put` of the element into the current filter happened before this call, neither
    /// through the slot nor while it was built.
    #[inline]
    pub fn might_contain<T: ?Sized>(&self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.state.load().current.might_contain(item)
    }

    /// [`ConcurrentBloomFilter::might_contain_hash`] of the current filter.
    #[inline]
    pub fn might_contain_hash(&self, hash: Hash128) -> bool {
        self.state.load().current.might_contain_hash(hash)
    }

    /// Puts an element into the current filter and, during a rebuild, into the one that is being built. Whether bits of the
    /// filter changed that was current when the call began, as [`ConcurrentBloomFilter::put`] tells.
    #[inline]
    pub fn put<T: ?Sized>(&self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.put_by(|filter| filter.put(item))
    }

    /// [`Slot::put`] of an element that was hashed elsewhere, for slots whose filters all have equal funnels.
    #[inline]
    pub fn put_hash(&self, hash: Hash128) -> bool {
        self.put_by(|filter| filter.put_hash(hash))
    }

    fn put_by(&self, put: impl Fn(&ConcurrentBloomFilter<F>) -> bool) -> bool {
        // The next one first: who finds the element in the current one finds it in the one that follows too.
        let put_both = |state: &State<F>| {
            if let Some(next) = &state.next {
                put(next);
            }
            put(&state.current)
        };
        let mut state = self.state.load();
        let changed = put_both(&state);
        loop {
            let now = self.state.load();
            // The old state is held here, so another one cannot have its address.
            if Arc::ptr_eq(&now, &state) {
                return changed;
            }
            put_both(&now);
            state = now;
        }
    }

    /// Makes this the current filter, and returns the previous one.
    ///
    /// What was put into the previous one is not in the new one, except by calls of [`Slot::put`] still under way. Where
    /// elements are put while the new filter is made, it is [`Slot::rebuild`].
    pub fn store(&self, filter: impl Into<ConcurrentBloomFilter<F>>) -> Arc<ConcurrentBloomFilter<F>> {
        let current = Arc::new(filter.into());
        let _writer = self.write();
        let next = self.state.load().next.clone();
        let previous = self.state.swap(Arc::new(State { current, next }));
        Arc::clone(&previous.current)
    }

    /// Begins a rebuild: `filter`, mostly an empty one, will be current once the rebuild is finished. From now on the slot
    /// puts elements into both.
    ///
    /// # Errors
    ///
    /// [`RebuildUnderWay`] as long as there is another [`Rebuild`] of this slot.
    pub fn rebuild(
        &self,
        filter: impl Into<ConcurrentBloomFilter<F>>,
    ) -> Result<Rebuild<'_, F>, RebuildUnderWay> {
        let filter = Arc::new(filter.into());
        let _writer = self.write();
        let state = self.state.load();
        if state.next.is_some() {
            return Err(RebuildUnderWay);
        }
        self.state.store(Arc::new(State {
            current: Arc::clone(&state.current),
            next: Some(Arc::clone(&filter)),
        }));
        Ok(Rebuild {
            slot: self,
            filter,
            finished: false,
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

/// A rebuild that is under way: [`Slot::rebuild`].
///
/// Dropped without [`Rebuild::finish`], as by an error or a panic while the elements are read, it leaves the slot with the
/// filter that is current.
#[must_use = "a rebuild that is dropped is given up"]
pub struct Rebuild<'a, F> {
    slot: &'a Slot<F>,
    filter: Arc<ConcurrentBloomFilter<F>>,
    finished: bool,
}

impl<F> Rebuild<'_, F> {
    /// The filter that is being built. The elements of the source are put into it, by as many threads as are useful.
    pub fn filter(&self) -> &ConcurrentBloomFilter<F> {
        &self.filter
    }

    /// Makes the new filter the current one, and returns the previous one.
    pub fn finish(mut self) -> Arc<ConcurrentBloomFilter<F>> {
        self.finished = true;
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
        if !self.finished {
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

/// A rebuild of the slot was to begin while another one is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RebuildUnderWay;

impl fmt::Display for RebuildUnderWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a rebuild of this slot is under way, allowed is one at a time: finish or drop it first")
    }
}

impl core::error::Error for RebuildUnderWay {}
