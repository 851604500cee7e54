//! The bits of a filter that threads share, as atomic words.
//!
//! Why every access to a word is relaxed. Bits only ever go from zero to one, and the guarantees speak of one word at a
//! time, so the order in which changes of *different* words become visible does not matter. What they rest on holds for
//! relaxed accesses: all changes of one word are in one order that all threads agree on; `fetch_or` reads the newest value
//! of it; and a load that happens after a store or a load (by a join, a lock, a channel, a release that was acquired) sees
//! the value of that one or a newer one. The last covers the shortcut too: an `insert` that found a bit set and wrote nothing
//! has passed on what it read.
//!
//! Acquire and release would add that who is told "might contain" also sees what the other thread wrote *before* it inserted
//! the element. That cannot be promised, because a "yes" may come from bits of other elements, and on some processors it would
//! make each probe wait for the one before.

use core::sync::atomic::Ordering::Relaxed;

#[cfg(not(loom))]
pub(crate) use core::sync::atomic::AtomicU64;
#[cfg(loom)]
pub(crate) use loom::sync::atomic::AtomicU64;

use crate::bits::{Bits, Word, place};

impl Word for AtomicU64 {
    #[inline]
    fn value(&self) -> u64 {
        self.load(Relaxed)
    }
}

impl Bits<AtomicU64> {
    /// Sets the bit at this position; whether it was this call that changed it.
    #[inline]
    pub(crate) fn set(&self, position: u64) -> bool {
        let (word, mask) = place(position);
        // The load first: where the bit is set, as half of them are in a full filter, the cache line stays shared.
        self.words()
            .get(word)
            .is_some_and(|word| word.load(Relaxed) & mask == 0 && word.fetch_or(mask, Relaxed) & mask == 0)
    }

    /// Sets every bit that is set in these words.
    pub(crate) fn set_all(&self, others: impl Iterator<Item = u64>) {
        for (ours, theirs) in self.words().iter().zip(others) {
            if theirs & !ours.load(Relaxed) != 0 {
                ours.fetch_or(theirs, Relaxed);
            }
        }
    }
}
