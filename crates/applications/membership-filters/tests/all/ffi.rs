//! An allocator that counts the memory of each thread.
#![expect(unsafe_code, reason = "an allocator is called by unsafe code")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// The bytes that the thread has, and the most that it had.
    static BYTES: Cell<[isize; 2]> = const { Cell::new([0; 2]) };
}

fn add(bytes: isize) {
    let [now, most] = BYTES.get();
    BYTES.set([now + bytes, most.max(now + bytes)]);
}

// SAFETY: The system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: The caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        add(-(layout.size() as isize));
        // SAFETY: The caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Returns the most memory that this thread allocated at a time beyond what it had, and what `of` returns.
pub(crate) fn peak<T>(of: impl FnOnce() -> T) -> (usize, T) {
    let [before, _] = BYTES.get();
    BYTES.set([before; 2]);
    let value = of();
    let [_, most] = BYTES.get();
    ((most - before) as usize, value)
}
