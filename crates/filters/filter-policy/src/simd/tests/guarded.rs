//! Memory between pages that must not be accessed: a kernel that does ends the program.

use core::cell::RefCell;
use core::ops::{Deref, DerefMut};
use core::ptr;
use core::slice;

use super::alloc::vec::Vec;

/// Larger memory is freed at once.
const MOST_KEPT: usize = 1 << 16;

std::thread_local! {
    /// Memory between guard pages that is free, with its length: the system takes longer to make some than a test to use it.
    static FREE: RefCell<Vec<(*mut u8, usize)>> = const { RefCell::new(Vec::new()) };
}

/// A copy of some values between two guard pages, which end the program when they are read or written.
pub(crate) struct Guarded<T> {
    map: *mut u8,
    map_len: usize,
    values: *mut T,
    len: usize,
}

impl<T: Copy> Guarded<T> {
    /// Places the values before the second guard page, or after the first.
    pub(crate) fn new(values: &[T], at_end: bool) -> Self {
        // SAFETY: the call only returns a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap();
        let accessible = size_of_val(values).next_multiple_of(page).max(page);
        let map_len = accessible + 2 * page;
        let free = FREE.with_borrow_mut(|free| {
            let at = free.iter().rposition(|(_, len)| *len == map_len)?;
            Some(free.swap_remove(at).0)
        });
        let map = free.unwrap_or_else(|| between_guards(page, accessible));
        let first = map.wrapping_add(page);
        let before = if at_end {
            accessible - size_of_val(values)
        } else {
            0
        };
        let start: *mut T = first.wrapping_byte_add(before).cast();
        assert!(start.is_aligned());
        // SAFETY: as many bytes as the values have lie between `start` and the second guard page, and nothing else
        // knows of them.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), start, values.len()) };
        Self {
            map,
            map_len,
            values: start,
            len: values.len(),
        }
    }
}

/// Maps as much memory between two pages.
fn between_guards(page: usize, accessible: usize) -> *mut u8 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping at any free address.
    let map = unsafe {
        libc::mmap(
            ptr::null_mut(),
            accessible + 2 * page,
            libc::PROT_NONE,
            flags,
            -1,
            0,
        )
    };
    assert_ne!(map, libc::MAP_FAILED, "no memory");
    let first = map.wrapping_byte_add(page);
    // SAFETY: the pages between the first and the last of the mapping.
    let changed = unsafe { libc::mprotect(first, accessible, libc::PROT_READ | libc::PROT_WRITE) };
    assert_eq!(changed, 0, "access rights");
    map.cast()
}

impl<T> Deref for Guarded<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `new` wrote the values, to memory that lives as long as `self`.
        unsafe { slice::from_raw_parts(self.values, self.len) }
    }
}

impl<T> DerefMut for Guarded<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: see `deref`; `self` is borrowed alone.
        unsafe { slice::from_raw_parts_mut(self.values, self.len) }
    }
}

impl<T> Drop for Guarded<T> {
    fn drop(&mut self) {
        if self.map_len <= MOST_KEPT {
            return FREE.with_borrow_mut(|free| free.push((self.map, self.map_len)));
        }
        // SAFETY: `new` made the mapping, and nothing borrows from it any more.
        let freed = unsafe { libc::munmap(self.map.cast(), self.map_len) };
        assert_eq!(freed, 0, "the map could not be freed");
    }
}
