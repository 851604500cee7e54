//! Bytes from C's allocator, which C can pass to `free`.

use core::ffi::c_char;
use core::ptr::NonNull;
use core::slice;
use core::sync::atomic::{AtomicPtr, Ordering};

use filter_policy::MATCHES_EVERYTHING;

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

    /// Allocates [`MATCHES_EVERYTHING`]; `None` if there is no memory.
    pub(super) fn may_match() -> Option<Self> {
        let mut bytes = Self::zeroed(MATCHES_EVERYTHING.len())?;
        bytes.as_mut_slice().copy_from_slice(&MATCHES_EVERYTHING);
        Some(bytes)
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

/// The number of copies in reserve: databases that share a policy build filters in a thread each.
const RESERVED: usize = 8;

/// Copies of [`MATCHES_EVERYTHING`] for when C's allocator refuses even those two bytes.
pub(super) struct Reserve([AtomicPtr<c_char>; RESERVED]);

impl Reserve {
    /// Creates an empty reserve.
    pub(super) const fn new() -> Self {
        Self([const { AtomicPtr::new(core::ptr::null_mut()) }; RESERVED])
    }

    /// Makes the copies that are missing, as far as memory allows.
    pub(super) fn refill(&self) {
        for place in &self.0 {
            if !place.load(Ordering::Relaxed).is_null() {
                continue;
            }
            let Some(bytes) = CBytes::may_match() else { return };
            let bytes = bytes.into_raw().as_ptr();
            let filled = place.compare_exchange(
                core::ptr::null_mut(),
                bytes,
                // A thread that takes the pointer must see the bytes.
                Ordering::Release,
                Ordering::Relaxed,
            );
            if filled.is_err() {
                // SAFETY: the pointer came from `calloc`, and was not stored because another thread was quicker.
                unsafe { libc::free(bytes.cast()) };
            }
        }
    }

    /// Takes a copy, if any is left. The caller must free it.
    pub(super) fn take(&self) -> Option<NonNull<c_char>> {
        self.0
            .iter()
            .find_map(|place| NonNull::new(place.swap(core::ptr::null_mut(), Ordering::Acquire)))
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        for place in &mut self.0 {
            // SAFETY: the pointer came from `calloc` and was not taken, or is null, which `free` accepts.
            unsafe { libc::free((*place.get_mut()).cast()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserve_that_threads_share_gives_nothing_twice() {
        let reserve = Reserve::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        if let Some(bytes) = reserve.take() {
                            // A pointer taken twice would be freed twice, which the allocator notices.
                            // SAFETY: the pointer came from `calloc` and was taken from the reserve.
                            unsafe { libc::free(bytes.as_ptr().cast()) };
                        }
                        reserve.refill();
                    }
                });
            }
        });
        assert_eq!(core::iter::from_fn(|| reserve.take()).map(free).count(), RESERVED);
    }

    fn free(bytes: NonNull<c_char>) {
        // SAFETY: only called with pointers taken from the reserve.
        unsafe { libc::free(bytes.as_ptr().cast()) };
    }

    #[test]
    fn no_bytes_and_too_many() {
        assert!(CBytes::zeroed(0).unwrap().as_mut_slice().is_empty());
        assert!(CBytes::zeroed(usize::MAX).is_none());
        assert!(CBytes::zeroed(isize::MAX as usize).is_none());
    }
}
