//! The target of the callbacks' `state` pointer.

use core::ffi::{CStr, c_void};
use core::ptr;
use std::alloc::{self, Layout};
use std::any::Any;
use std::borrow::Cow;
use std::panic::{self, AssertUnwindSafe};

use filter_policy::FilterPolicy;
use filter_policy::filter_block::longest_filter;

use super::c_bytes::CBytes;

/// The largest filter: LevelDB stores the offsets of filters in 32 bits, so a longer one would corrupt all later
/// offsets.
const MAX_FILTER_BYTES: usize = u32::MAX as usize;

/// A policy, with everything else that its callbacks need.
pub(super) struct State<P> {
    policy: P,
    name: Cow<'static, CStr>,
}

impl<P> State<P> {
    /// Allocates the state of a policy with this name. Returns null if there is no memory.
    pub(super) fn allocate(policy: P, name: Cow<'static, CStr>) -> *mut c_void {
        let state = try_box(Self { policy, name });
        state.map_or(ptr::null_mut(), |state| Box::into_raw(state).cast())
    }

    /// Returns the state at a pointer; `None` for null.
    ///
    /// # Safety
    ///
    /// The pointer is null, or from [`State::allocate`] for the same `P` and not yet destroyed, for all of `'a`.
    pub(super) unsafe fn from_ptr<'a>(state: *mut c_void) -> Option<&'a Self> {
        // SAFETY: guaranteed by the caller. There is never a `&mut` to the state.
        unsafe { state.cast::<Self>().as_ref() }
    }

    /// Frees the state at a pointer; does nothing for null.
    ///
    /// # Safety
    ///
    /// The requirements of [`State::from_ptr`], and the pointer is not used any more.
    pub(super) unsafe fn destroy(state: *mut c_void) {
        if !state.is_null() {
            // SAFETY: `State::allocate` made it from a box, and nothing else frees it.
            let state = unsafe { Box::from_raw(state.cast::<Self>()) };
            caught(|| {
                drop(state);
                Some(())
            });
        }
    }

    pub(super) fn name(&self) -> &CStr {
        &self.name
    }
}

impl<P: FilterPolicy> State<P> {
    /// Returns the policy's answer, or `None` if it panics.
    #[inline(always)]
    pub(super) fn key_may_match(&self, key: &[u8], filter: &[u8]) -> Option<bool> {
        caught(|| Some(self.policy.key_may_match(key, filter)))
    }

    /// Builds the filter of these keys. Returns it with its length, or `None` if it cannot be built.
    pub(super) fn create_filter(&self, keys: &[&[u8]]) -> Option<(CBytes, usize)> {
        let max_len = self.policy.max_filter_len(keys.len()).ok()?;
        if max_len > MAX_FILTER_BYTES {
            return None;
        }
        let mut bytes = CBytes::zeroed(max_len)?;
        let room = bytes.as_mut_slice();
        let start = room.as_ptr();
        let filter = self.policy.create_filter(keys, room).ok()?;
        // A faulty policy may return other memory, an empty filter would deny its keys, and long ones those of a table.
        let longest = max_len.min(longest_filter(keys.len()));
        if filter.as_ptr() != start || filter.is_empty() || filter.len() > longest {
            return None;
        }
        let len = filter.len();
        Some((bytes, len))
    }
}

/// Returns [`Box::new`]`(value)`, which would abort the program if there is no memory; then `None`.
pub(super) fn try_box<T>(value: T) -> Option<Box<T>> {
    const { assert!(size_of::<T>() > 0) };
    // SAFETY: the size is not zero.
    let place = unsafe { alloc::alloc(Layout::new::<T>()) }.cast::<T>();
    if place.is_null() {
        return None;
    }
    // SAFETY: `place` was just allocated for this type, like `Box` does.
    unsafe {
        place.write(value);
        Some(Box::from_raw(place))
    }
}

/// Returns the result of `work`; `None` if it panics.
#[inline(always)]
pub(super) fn caught<T>(work: impl FnOnce() -> Option<T>) -> Option<T> {
    // A panic can only leave the policy's own data inconsistent, and the policy is used only through `&`.
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        drop_payload(payload);
        None
    })
}

/// Drops the payload of a panic. Separate, so that successful calls need not save registers for it.
#[cold]
#[inline(never)]
fn drop_payload(payload: Box<dyn Any + Send>) {
    // The payload may itself panic when it is dropped, and so on.
    let dropped = panic::catch_unwind(AssertUnwindSafe(|| drop(payload)));
    core::mem::forget(dropped);
}
