//! What the `state` pointer of the callbacks points to.

use core::ffi::{CStr, c_void};
use std::alloc::{self, Layout};
use std::any::Any;
use std::borrow::Cow;
use std::panic::{self, AssertUnwindSafe};

use filter_policy::FilterPolicy;

use super::c_bytes::{CBytes, Reserve};
use crate::policy::Question;

/// LevelDB stores where a filter begins in 32 bits; a longer one would move all that follow it.
const MAX_FILTER_BYTES: usize = u32::MAX as usize;

/// A policy and what its callbacks need besides.
pub(super) struct State<P> {
    policy: P,
    question: Question<P>,
    name: Cow<'static, CStr>,
    reserve: Reserve,
}

impl<P> State<P> {
    /// Puts a policy behind a pointer, under `name`; `question` asks its filters. Null if there is no memory.
    pub(super) fn allocate(policy: P, question: Question<P>, name: Cow<'static, CStr>) -> *mut c_void {
        let layout = Layout::new::<Self>();
        // `Box::new` would abort the program.
        // SAFETY: the size is not zero, since a state has a reserve.
        let place = unsafe { alloc::alloc(layout) }.cast::<Self>();
        if !place.is_null() {
            let state = Self {
                policy,
                question,
                name,
                reserve: Reserve::new(),
            };
            // SAFETY: `place` was just allocated for this type.
            unsafe { place.write(state) };
        }
        place.cast()
    }

    /// The state behind a pointer; `None` for null.
    ///
    /// # Safety
    ///
    /// The pointer is null, or from [`State::allocate`] for the same `P` and not yet destroyed, for all of `'a`.
    pub(super) unsafe fn from_ptr<'a>(state: *mut c_void) -> Option<&'a Self> {
        // SAFETY: as the caller says. Nothing ever makes a `&mut` of it.
        unsafe { state.cast::<Self>().as_ref() }
    }

    /// Frees the state behind a pointer; does nothing for null.
    ///
    /// # Safety
    ///
    /// As for [`State::from_ptr`], and nobody uses the pointer any more.
    pub(super) unsafe fn destroy(state: *mut c_void) {
        if !state.is_null() {
            // SAFETY: `State::allocate` allocated it as `Box` does, and nobody else frees it.
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

    /// Returns the policy's answer, or `None` if it panics.
    #[inline(always)]
    pub(super) fn key_may_match(&self, key: &[u8], filter: &[u8]) -> Option<bool> {
        caught(|| Some((self.question)(&self.policy, key, filter)))
    }

    pub(super) fn reserve(&self) -> &Reserve {
        &self.reserve
    }
}

impl<P: FilterPolicy> State<P> {
    /// The filter of these keys and its length; `None` if it cannot be made.
    pub(super) fn create_filter(&self, keys: &[&[u8]]) -> Option<(CBytes, usize)> {
        let max_len = self.policy.max_filter_len(keys.len()).ok()?;
        if max_len > MAX_FILTER_BYTES {
            return None;
        }
        let mut bytes = CBytes::zeroed(max_len)?;
        let room = bytes.as_mut_slice();
        let start = room.as_ptr();
        let filter = self.policy.create_filter(keys, room).ok()?;
        // A policy may be wrong about where it wrote, and an empty filter would deny its keys.
        if filter.as_ptr() != start || filter.is_empty() || filter.len() > max_len {
            return None;
        }
        let len = filter.len();
        Some((bytes, len))
    }
}

/// What `work` gives; `None` if it panics.
#[inline(always)]
pub(super) fn caught<T>(work: impl FnOnce() -> Option<T>) -> Option<T> {
    // Whatever a panic left half done belongs to the policy, which is only ever used through `&`.
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        drop_payload(payload);
        None
    })
}

/// Apart, so that no call that ends well has to save registers for it.
#[cold]
#[inline(never)]
fn drop_payload(payload: Box<dyn Any + Send>) {
    // Whoever panics may do so with a value that panics when it is dropped, and so on.
    let dropped = panic::catch_unwind(AssertUnwindSafe(|| drop(payload)));
    core::mem::forget(dropped);
}
