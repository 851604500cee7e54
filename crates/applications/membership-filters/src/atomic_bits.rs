//! The bits of a shared filter, as atomic words.
//!
//! Every access to a word is relaxed. Bits only go from zero to one, and each guarantee concerns one word at a time, so
//! the order in which changes of *different* words become visible does not matter. The guarantees need three
//! properties, which relaxed accesses have: all threads agree on one order of the changes of a word; `fetch_or` reads
//! the newest value in it; and a load that happens after another load or store (through a join, a lock, a channel, or
//! an acquired release) sees its value or a newer one. The last property covers the shortcut of an `insert` that finds
//! all bits set and writes nothing.
//!
//! With acquire and release, a thread whose query answers "might contain" would also see the writes that another thread made
//! *before* it inserted the key. This cannot be promised anyway, because the answer may come from bits of other
//! keys, and on some processors each probe would wait for the previous one.

use core::sync::atomic::Ordering::Relaxed;

#[cfg(not(loom))]
pub(crate) use core::sync::atomic::AtomicU64;
#[cfg(loom)]
pub(crate) use loom::sync::atomic::AtomicU64;

use crate::bits::{Bits, Word, place};

impl Word for AtomicU64 {
    const IS_SHARED: bool = true;

    #[inline]
    fn value(&self) -> u64 {
        self.load(Relaxed)
    }
}

/// Sets the bits of a mask in a word. Returns true if this call changed one.
#[inline]
pub(crate) fn set(word: &AtomicU64, mask: u64) -> bool {
    // Load first: if the bits are set, like many of a full filter, the cache line stays shared.
    word.load(Relaxed) & mask != mask && word.fetch_or(mask, Relaxed) & mask != mask
}

/// Sets the bits of a mask in a word. Takes half of the time of [`set`] if bits are missing: on x86-64, a `fetch_or` whose
/// result is not used is one instruction, and one whose result is used is a loop of compare-and-swap.
#[inline]
pub(crate) fn add(word: &AtomicU64, mask: u64) {
    word.fetch_or(mask, Relaxed);
}

impl Bits<AtomicU64> {
    /// Sets the bit at this position. Returns true if this call changed it.
    #[inline]
    pub(crate) fn set(&self, position: u64) -> bool {
        let (word, mask) = place(position);
        self.words().get(word).is_some_and(|word| set(word, mask))
    }

    /// Sets every bit that is set in these words.
    pub(crate) fn set_all(&self, others: impl Iterator<Item = u64>) {
        for (ours, theirs) in self.words().iter().zip(others) {
            set(ours, theirs);
        }
    }
}
