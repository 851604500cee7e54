//! Memory between pages that must not be accessed: a kernel that does ends the program.
#![expect(
    unsafe_code,
    reason = "pages without access rights come from the operating system"
)]

use std::ptr;
use std::slice;

/// Some pages between two guard pages, which end the program when they are read or written.
pub(crate) struct Guarded {
    map: *mut u8,
    page: usize,
    pages: usize,
}

impl Guarded {
    /// Maps at least `len` bytes.
    pub(crate) fn new(len: usize) -> Self {
        // SAFETY: the call only returns a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap();
        let pages = len.div_ceil(page).max(1);
        // SAFETY: a new mapping at any free address.
        let map = unsafe {
            libc::mmap(
                ptr::null_mut(),
                (pages + 2) * page,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(map, libc::MAP_FAILED, "no memory");
        // SAFETY: the pages between the first and the last of the mapping.
        let changed = unsafe {
            libc::mprotect(
                map.wrapping_byte_add(page),
                pages * page,
                libc::PROT_READ | libc::PROT_WRITE,
            )
        };
        assert_eq!(changed, 0, "access rights");
        Self {
            map: map.cast(),
            page,
            pages,
        }
    }

    /// Returns the last `len` values before the second guard page.
    pub(crate) fn at_end<T: Plain>(&mut self, len: usize) -> &mut [T] {
        let bytes = len * size_of::<T>();
        assert!(bytes <= self.pages * self.page, "more than there is room for");
        let start = self.map.wrapping_add((self.pages + 1) * self.page - bytes);
        // SAFETY: the values lie within the accessible pages, which are borrowed with `self`. A page is aligned for
        // every `Plain`, and so is an address a whole number of values before its end. Any bytes are values.
        unsafe { slice::from_raw_parts_mut(start.cast(), len) }
    }

    /// Returns the first `len` values after the first guard page.
    pub(crate) fn at_start<T: Plain>(&mut self, len: usize) -> &mut [T] {
        let bytes = len * size_of::<T>();
        assert!(bytes <= self.pages * self.page, "more than there is room for");
        // SAFETY: see `at_end`.
        unsafe { slice::from_raw_parts_mut(self.map.wrapping_add(self.page).cast(), len) }
    }

    /// Calls [`at_end`](Self::at_end) or [`at_start`](Self::at_start).
    pub(crate) fn at<T: Plain>(&mut self, end: bool, len: usize) -> &mut [T] {
        if end { self.at_end(len) } else { self.at_start(len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: `new` made the mapping, and nothing borrows from it any more.
        let freed = unsafe { libc::munmap(self.map.cast(), (self.pages + 2) * self.page) };
        assert_eq!(freed, 0, "the map could not be freed");
    }
}

/// Number types, for which all bytes are values.
pub(crate) trait Plain {}

impl Plain for u8 {}
impl Plain for u32 {}
impl Plain for u64 {}
