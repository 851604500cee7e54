//! Memory between pages that must not be accessed: a kernel that does ends the program.

use core::ops::{Deref, DerefMut};
use core::ptr;
use core::slice;

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
        // SAFETY: a new mapping at any free address.
        let map = unsafe {
            libc::mmap(
                ptr::null_mut(),
                map_len,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(map, libc::MAP_FAILED, "no memory");
        let first = map.wrapping_byte_add(page);
        // SAFETY: the pages between the first and the last of the mapping.
        let changed = unsafe { libc::mprotect(first, accessible, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(changed, 0, "access rights");
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
            map: map.cast(),
            map_len,
            values: start,
            len: values.len(),
        }
    }
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
        // SAFETY: `new` made the mapping, and nothing borrows from it any more.
        let freed = unsafe { libc::munmap(self.map.cast(), self.map_len) };
        assert_eq!(freed, 0, "the map could not be freed");
    }
}
