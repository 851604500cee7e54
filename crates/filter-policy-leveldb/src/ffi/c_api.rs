//! The functions of `filter_policy_leveldb.h`, where they are described for C; here is what Rust must know.

use core::ffi::{c_char, c_int, c_uchar, c_void};
use core::ptr;
use std::borrow::Cow;

use super::callbacks;
use super::state::{State, caught};
use crate::policy::ChosenPolicy;

/// `filter_policy_new`: a policy, to be freed with [`filter_policy_destroy`]; null if there is none such or no
/// memory.
///
/// The header has an enum in the place of `policy`. In Rust it must be a number, since C may pass any.
#[unsafe(no_mangle)]
pub extern "C" fn filter_policy_new(bits_per_key: c_int, policy: c_int) -> *mut c_void {
    caught(|| {
        let policy = ChosenPolicy::new(bits_per_key, policy)?;
        let (question, name) = (policy.question(), Cow::Borrowed(policy.c_name()));
        Some(State::allocate(policy, question, name))
    })
    .unwrap_or(ptr::null_mut())
}

/// `filter_policy_destroy`: frees a policy.
///
/// # Safety
///
/// `state` is null or from [`filter_policy_new`], and nobody uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn filter_policy_destroy(state: *mut c_void) {
    // SAFETY: `filter_policy_new` makes states of this type.
    unsafe { callbacks::destroy::<ChosenPolicy>(state) }
}

/// `filter_policy_create_filter`: a filter, to be freed with C's `free`; never null.
///
/// # Safety
///
/// `state` is null or from [`filter_policy_new`]. `keys` and `key_lengths` are null or have `num_keys`
/// elements, of which each pair is a null pointer or that many readable bytes. `filter_length` is null or may
/// be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn filter_policy_create_filter(
    state: *mut c_void,
    keys: *const *const c_char,
    key_lengths: *const usize,
    num_keys: c_int,
    filter_length: *mut usize,
) -> *mut c_char {
    // SAFETY: `filter_policy_new` makes states of this type; the rest is as the caller says.
    unsafe { callbacks::create_filter::<ChosenPolicy>(state, keys, key_lengths, num_keys, filter_length) }
}

/// `filter_policy_key_may_match`: 0 or 1.
///
/// # Safety
///
/// `state` is null or from [`filter_policy_new`]. `key` and `filter` are null or have as many readable bytes as
/// the length beside each says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn filter_policy_key_may_match(
    state: *mut c_void,
    key: *const c_char,
    length: usize,
    filter: *const c_char,
    filter_length: usize,
) -> c_uchar {
    // SAFETY: `filter_policy_new` makes states of this type; the rest is as the caller says.
    unsafe { callbacks::key_may_match::<ChosenPolicy>(state, key, length, filter, filter_length) }
}

/// `filter_policy_name`: a static string with a NUL at its end; never null.
///
/// # Safety
///
/// `state` is null or from [`filter_policy_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn filter_policy_name(state: *mut c_void) -> *const c_char {
    // SAFETY: `filter_policy_new` makes states of this type.
    unsafe { callbacks::name_of::<ChosenPolicy>(state) }
}
