//! The functions of `filter_policy_leveldb.h`. The header documents them for C; the comments here are for Rust.

use core::ffi::{CStr, c_char, c_double, c_int, c_uchar, c_void};
use core::ptr;
use std::borrow::Cow;
use std::ffi::CString;

use super::callbacks;
use super::policy::{ChosenPolicy, chosen, parsed, reader};
use super::state::{State, caught};

/// `filter_policy_new`: creates a policy, to be freed with [`filter_policy_destroy`]. Returns null if there is no such
/// policy or no memory.
///
/// `policy` is an enum in the header. In Rust it must be a number, since C may pass any value.
#[unsafe(no_mangle)]
pub extern "C" fn filter_policy_new(bits_per_key: c_int, policy: c_int) -> *mut c_void {
    filter_policy_new_fractional(bits_per_key.into(), policy)
}

/// `filter_policy_new_fractional`: does the same for bits per key that need not be whole.
#[unsafe(no_mangle)]
pub extern "C" fn filter_policy_new_fractional(bits_per_key: c_double, policy: c_int) -> *mut c_void {
    caught(|| {
        let (policy, name) = chosen(bits_per_key, policy)?;
        Some(State::allocate(policy, Cow::Borrowed(name)))
    })
    .unwrap_or(ptr::null_mut())
}

/// `filter_policy_parse`: creates the policy of a name and bits per key such as `bloom64:10`. Returns null if there is
/// none, and writes why into `message`.
///
/// # Safety
///
/// `text` is null or a NUL-terminated string. `message` is null or has `message_size` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn filter_policy_parse(
    text: *const c_char,
    message: *mut c_char,
    message_size: usize,
) -> *mut c_void {
    // SAFETY: the caller guarantees it.
    unsafe { of_text(text, message, message_size, parsed) }
}

/// `filter_policy_reader`: creates the policy that reads the filters stored under a name. Returns null if there is
/// none, and writes why into `message`.
///
/// # Safety
///
/// The contract of [`filter_policy_parse`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn filter_policy_reader(
    name: *const c_char,
    message: *mut c_char,
    message_size: usize,
) -> *mut c_void {
    // SAFETY: the caller guarantees it.
    unsafe { of_text(name, message, message_size, reader) }
}

/// Creates the policy that `policy` makes of a text.
///
/// # Safety
///
/// The contract of [`filter_policy_parse`].
unsafe fn of_text(
    text: *const c_char,
    message: *mut c_char,
    message_size: usize,
    policy: impl FnOnce(&str) -> Result<ChosenPolicy, String>,
) -> *mut c_void {
    let made = caught(|| {
        // SAFETY: not null; the caller guarantees the rest, and the text is not used after this call.
        let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) });
        Some(policy(&text.unwrap_or_default().to_string_lossy()).map(|policy| {
            let name = CString::new(policy.name()).unwrap_or_default();
            State::allocate(policy, Cow::Owned(name))
        }))
    });
    let (state, error) = match made {
        Some(Ok(state)) if !state.is_null() => (state, String::new()),
        Some(Err(error)) => (ptr::null_mut(), error),
        _ => (ptr::null_mut(), "cannot allocate memory for a policy".to_owned()),
    };
    if !message.is_null() && message_size > 0 {
        let len = error.len().min(message_size - 1);
        // SAFETY: not null, and the caller guarantees more bytes than `len`, which no Rust object owns.
        unsafe {
            ptr::copy_nonoverlapping(error.as_ptr().cast(), message, len);
            message.add(len).write(0);
        }
    }
    state
}

/// `filter_policy_destroy`: frees a policy.
///
/// # Safety
///
/// `state` is null or from [`filter_policy_new`], and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn filter_policy_destroy(state: *mut c_void) {
    // SAFETY: `filter_policy_new` makes states of this type.
    unsafe { callbacks::destroy::<ChosenPolicy>(state) }
}

/// `filter_policy_create_filter`: returns a filter, to be freed with C's `free`; never null.
///
/// # Safety
///
/// `state` is null or from [`filter_policy_new`]. `keys` and `key_lengths` are null or have `num_keys` elements; each
/// key is null or has as many readable bytes as its length says. `filter_length` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn filter_policy_create_filter(
    state: *mut c_void,
    keys: *const *const c_char,
    key_lengths: *const usize,
    num_keys: c_int,
    filter_length: *mut usize,
) -> *mut c_char {
    // SAFETY: `filter_policy_new` makes states of this type; the caller guarantees the rest.
    unsafe { callbacks::create_filter::<ChosenPolicy>(state, keys, key_lengths, num_keys, filter_length) }
}

/// `filter_policy_key_may_match`: returns 0 or 1.
///
/// # Safety
///
/// `state` is null or from [`filter_policy_new`]. `key` and `filter` are null or have as many readable bytes as their
/// lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn filter_policy_key_may_match(
    state: *mut c_void,
    key: *const c_char,
    length: usize,
    filter: *const c_char,
    filter_length: usize,
) -> c_uchar {
    // SAFETY: `filter_policy_new` makes states of this type; the caller guarantees the rest.
    unsafe { callbacks::key_may_match::<ChosenPolicy>(state, key, length, filter, filter_length) }
}

/// `filter_policy_name`: returns a static NUL-terminated string; never null.
///
/// # Safety
///
/// `state` is null or from [`filter_policy_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn filter_policy_name(state: *mut c_void) -> *const c_char {
    // SAFETY: `filter_policy_new` makes states of this type.
    unsafe { callbacks::name_of::<ChosenPolicy>(state) }
}
