//! Memory between pages that must not be touched.
#![expect(
    unsafe_code,
    reason = "pages without access rights come from the operating system"
)]

use std::ptr;
use std::slice;

/// Some pages, with a page before and a page behind them that ends the program when it is read or written.
pub(crate) struct Guarded {
    map: *mut u8,
    page: usize,
    pages: usize,
}

impl Guarded {
    /// Room for at least `len` bytes.
    pub(crate) fn new(len: usize) -> Self {
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap();
        let pages = len.div_ceil(page).max(1);
        // SAFETY: a new map, wherever there is room.
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
        // SAFETY: the pages between the first and the last of the map.
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

    /// The last `len` values before the page behind.
    pub(crate) fn at_end<T: Plain>(&mut self, len: usize) -> &mut [T] {
        let bytes = len * size_of::<T>();
        assert!(bytes <= self.pages * self.page, "more than there is room for");
        let start = self.map.wrapping_add((self.pages + 1) * self.page - bytes);
        // SAFETY: within the pages that may be accessed, which are borrowed with `self`; a page is aligned for every
        // `Plain`, and so is what lies a whole number of values before its end. Any bytes are values.
        unsafe { slice::from_raw_parts_mut(start.cast(), len) }
    }

    /// The first `len` values after the page before.
    pub(crate) fn at_start<T: Plain>(&mut self, len: usize) -> &mut [T] {
        let bytes = len * size_of::<T>();
        assert!(bytes <= self.pages * self.page, "more than there is room for");
        // SAFETY: as in `at_end`.
        unsafe { slice::from_raw_parts_mut(self.map.wrapping_add(self.page).cast(), len) }
    }

    /// One or the other.
    pub(crate) fn at<T: Plain>(&mut self, end: bool, len: usize) -> &mut [T] {
        if end { self.at_end(len) } else { self.at_start(len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the map that `new` made, of which nothing is borrowed any more.
        let freed = unsafe { libc::munmap(self.map.cast(), (self.pages + 2) * self.page) };
        assert_eq!(freed, 0, "the map could not be freed");
    }
}

/// Numbers, of which all bytes are values.
pub(crate) trait Plain {}

impl Plain for u8 {}
impl Plain for u32 {}
impl Plain for u64 {}
