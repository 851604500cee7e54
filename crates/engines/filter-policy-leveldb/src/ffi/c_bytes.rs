//! Bytes from C's allocator, which C can pass to `free`.

use core::ffi::c_char;
use core::ptr::NonNull;
use core::slice;

/// Bytes from C's allocator, freed on drop.
pub(super) struct CBytes {
    start: NonNull<u8>,
    len: usize,
}

impl CBytes {
    /// Allocates zeros; `None` if there is no memory.
    pub(super) fn zeroed(len: usize) -> Option<Self> {
        // SAFETY: `calloc` accepts any numbers. It may return null for zero bytes, so at least one is requested.
        let start = unsafe { libc::calloc(len.max(1), 1) };
        NonNull::new(start.cast()).map(|start| Self { start, len })
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: `calloc` returned `len` initialised bytes at `start`, which `self` owns until `into_raw` or `drop`.
        // No allocation exceeds `isize::MAX` bytes.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// Returns the pointer, which the caller must free.
    pub(super) fn into_raw(self) -> NonNull<c_char> {
        let start = self.start.cast();
        core::mem::forget(self);
        start
    }
}

impl Drop for CBytes {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `calloc`, and `into_raw` was not called.
        unsafe { libc::free(self.start.as_ptr().cast()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bytes_and_too_many() {
        assert!(CBytes::zeroed(0).unwrap().as_mut_slice().is_empty());
        assert!(CBytes::zeroed(usize::MAX).is_none());
        assert!(CBytes::zeroed(isize::MAX as usize).is_none());
    }
}
