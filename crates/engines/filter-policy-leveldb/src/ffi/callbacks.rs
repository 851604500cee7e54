//! The callbacks of `leveldb_filterpolicy_create`, for any policy.

use core::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};
use core::slice;
use std::borrow::Cow;
use std::ffi::CString;
use std::io::Write as _;

use filter_policy::{FilterPolicy, MATCHES_EVERYTHING};

use super::c_bytes::CBytes;
use super::state::{State, caught};
use crate::error::Error;

/// The largest number of keys of one filter. LevelDB addresses the entries of a block with 32 bits and spends at least
/// four bytes on an entry, so no readable table has more in a block.
const MAX_KEYS: usize = 1 << 30;

/// The number of keys up to which their slices lie on the stack. A filter of LevelDB has the keys of a block or two,
/// usually fewer.
pub(super) const ON_STACK: usize = 256;

/// The name of a policy that could not be created. No other filter is stored under it.
const NO_POLICY: &CStr = c"filter_policy_leveldb.NoPolicy";

/// A policy as the five arguments of `leveldb_filterpolicy_create`, for any bindings of LevelDB.
///
/// The callbacks keep the promises of the C functions. No panic crosses into LevelDB (if panics unwind: with `panic =
/// "abort"` they end the program). A query that fails is answered "may match". A filter that cannot be built is the two
/// bytes `00 ff`, which every key may match; these bytes never reach the policy. That includes filters of more than some
/// 62 bits per key and 160 bytes: those of a large table together could exceed the 4 GiB that LevelDB
/// addresses, and then all of its keys would be denied.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy};
/// use filter_policy_leveldb::Callbacks;
///
/// let callbacks = Callbacks::new(BloomFilterPolicy::new(BitsPerKey::whole(10)))?;
/// # let leveldb_filterpolicy_create = |state, destructor: unsafe extern "C" fn(_), _, _, _| unsafe { destructor(state) };
/// let policy = leveldb_filterpolicy_create(
///     callbacks.state,
///     callbacks.destructor,
///     callbacks.create_filter,
///     callbacks.key_may_match,
///     callbacks.name,
/// );
/// # Ok::<(), filter_policy_leveldb::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Callbacks {
    /// The state, which LevelDB owns after `leveldb_filterpolicy_create`. Its owner must call the destructor.
    pub state: *mut c_void,
    /// Frees the state. Must be called once, last.
    pub destructor: unsafe extern "C" fn(state: *mut c_void),
    /// Returns a filter in memory for `free`; see `filter_policy_create_filter` in the header.
    pub create_filter: unsafe extern "C" fn(
        state: *mut c_void,
        keys: *const *const c_char,
        key_lengths: *const usize,
        num_keys: c_int,
        filter_length: *mut usize,
    ) -> *mut c_char,
    /// Returns 0 or 1; see `filter_policy_key_may_match` in the header.
    pub key_may_match: unsafe extern "C" fn(
        state: *mut c_void,
        key: *const c_char,
        length: usize,
        filter: *const c_char,
        filter_length: usize,
    ) -> c_uchar,
    /// Returns the policy's name, which is valid until the destructor is called.
    pub name: unsafe extern "C" fn(state: *mut c_void) -> *const c_char,
}

impl Callbacks {
    /// Moves a policy into the callbacks. The destructor frees it.
    ///
    /// # Errors
    ///
    /// [`Error::NulInName`], because C would read a shorter name; [`Error::NoMemory`].
    pub fn new<P: FilterPolicy + Send + Sync + 'static>(policy: P) -> Result<Self, Error> {
        let name = CString::new(policy.name()).map_err(|error| Error::NulInName {
            name: policy.name().to_owned(),
            position: error.nul_position(),
        })?;
        let state = State::allocate(policy, Cow::Owned(name));
        if state.is_null() {
            return Err(Error::NoMemory);
        }
        Ok(Self {
            state,
            destructor: destroy::<P>,
            create_filter: create_filter::<P>,
            key_may_match: key_may_match::<P>,
            name: name_of::<P>,
        })
    }
}

/// # Safety
///
/// `state` is null or from [`State::allocate`] for the same `P`, and is not used any more.
pub(super) unsafe extern "C" fn destroy<P>(state: *mut c_void) {
    // SAFETY: guaranteed by the caller.
    unsafe { State::<P>::destroy(state) }
}

/// # Safety
///
/// `state` is null or from [`State::allocate`] for the same `P`. `keys` and `key_lengths` are null or have `num_keys`
/// elements; each key is null or has as many readable bytes as its length says. `filter_length` is null or writable.
pub(super) unsafe extern "C" fn create_filter<P: FilterPolicy>(
    state: *mut c_void,
    keys: *const *const c_char,
    key_lengths: *const usize,
    num_keys: c_int,
    filter_length: *mut usize,
) -> *mut c_char {
    // SAFETY: guaranteed by the caller.
    let state = unsafe { State::<P>::from_ptr(state) };
    // Without `filter_length`, the caller can only assume the two bytes.
    let created = state.filter(|_| !filter_length.is_null()).and_then(|state| {
        // SAFETY: the caller guarantees the arrays, which are not used after this call.
        caught(|| unsafe { with_slices(keys, key_lengths, num_keys, |keys| state.create_filter(keys)) })
    });
    let (filter, len) = match created {
        Some((bytes, len)) => (bytes.into_raw(), len),
        None => (may_match(), MATCHES_EVERYTHING.len()),
    };
    if !filter_length.is_null() {
        // SAFETY: guaranteed by the caller. The old value may be uninitialised.
        unsafe { filter_length.write(len) };
    }
    filter.as_ptr()
}

/// # Safety
///
/// `state` is null or from [`State::allocate`] for the same `P`. `key` and `filter` are null or have as many readable
/// bytes as their lengths say.
#[inline]
pub(super) unsafe extern "C" fn key_may_match<P: FilterPolicy>(
    state: *mut c_void,
    key: *const c_char,
    length: usize,
    filter: *const c_char,
    filter_length: usize,
) -> c_uchar {
    // A query is so fast that the unusual cases must be detected with few comparisons.
    let is_usual = !state.is_null()
        && !key.is_null()
        && !filter.is_null()
        && isize::try_from(length | filter_length).is_ok()
        && filter_length > MATCHES_EVERYTHING.len();
    if !is_usual {
        // SAFETY: guaranteed by the caller.
        return unsafe { unusual_key_may_match::<P>(state, key, length, filter, filter_length) };
    }
    // SAFETY: no pointer is null, and the lengths are valid for slices. The caller guarantees the rest, and the bytes
    // are not used after this call.
    let (state, key, filter) = unsafe {
        (
            &*state.cast::<State<P>>(),
            slice::from_raw_parts(key.cast(), length),
            slice::from_raw_parts(filter.cast(), filter_length),
        )
    };
    c_uchar::from(state.key_may_match(key, filter).unwrap_or(true))
}

/// Answers a query if a pointer is null, a length is impossible, or the filter matches everything.
///
/// # Safety
///
/// The requirements of [`key_may_match`].
#[cold]
#[inline(never)]
unsafe fn unusual_key_may_match<P: FilterPolicy>(
    state: *mut c_void,
    key: *const c_char,
    length: usize,
    filter: *const c_char,
    filter_length: usize,
) -> c_uchar {
    // SAFETY: guaranteed by the caller.
    let state = unsafe { State::<P>::from_ptr(state) };
    // SAFETY: guaranteed by the caller. The bytes are not used after this call.
    let (key, filter) = unsafe { (bytes(key, length), bytes(filter, filter_length)) };
    let answer = match (state, key, filter) {
        // Policies with another encoding need not know these bytes.
        (_, _, Some(filter)) if filter == MATCHES_EVERYTHING => None,
        (Some(state), Some(key), Some(filter)) => state.key_may_match(key, filter),
        _ => None,
    };
    c_uchar::from(answer.unwrap_or(true))
}

/// # Safety
///
/// `state` is null or from [`State::allocate`] for the same `P`.
pub(super) unsafe extern "C" fn name_of<P>(state: *mut c_void) -> *const c_char {
    // SAFETY: guaranteed by the caller.
    let state = unsafe { State::<P>::from_ptr(state) };
    state.map_or(NO_POLICY, State::name).as_ptr()
}

/// Returns the two bytes that every key may match, in memory for `free`.
fn may_match() -> NonNull<c_char> {
    let Some(mut bytes) = CBytes::zeroed(MATCHES_EVERYTHING.len()) else {
        // Null or an empty filter would deny stored keys.
        let _ = std::io::stderr()
            .write_all(b"filter_policy_leveldb: no memory for the two bytes that keep keys visible\n");
        std::process::abort()
    };
    bytes.as_mut_slice().copy_from_slice(&MATCHES_EVERYTHING);
    bytes.into_raw()
}

/// Returns the bytes at a pointer; `None` if the length is impossible.
///
/// # Safety
///
/// A pointer that is not null has `len` readable bytes that are not written during `'a`.
unsafe fn bytes<'a>(start: *const c_char, len: usize) -> Option<&'a [u8]> {
    if len == 0 {
        return Some(&[]);
    }
    let start = NonNull::new(start.cast_mut().cast::<u8>())?;
    if isize::try_from(len).is_err() {
        return None;
    }
    // SAFETY: the pointer is not null, and the length is valid for a slice. The caller guarantees the rest.
    Some(unsafe { slice::from_raw_parts(start.as_ptr(), len) })
}

/// Passes the keys in C's two arrays to `work`; `None` if they cannot be keys or there is no memory.
///
/// # Safety
///
/// The requirements of [`bytes`], for each pair of a pointer and a length, and for the arrays themselves.
#[inline(always)]
unsafe fn with_slices<'a, T>(
    keys: *const *const c_char,
    key_lengths: *const usize,
    num_keys: c_int,
    work: impl FnOnce(&[&'a [u8]]) -> Option<T>,
) -> Option<T> {
    let count = usize::try_from(num_keys)
        .ok()
        .filter(|&count| count <= MAX_KEYS)?;
    if count == 0 {
        return work(&[]);
    }
    if keys.is_null() || key_lengths.is_null() {
        return None;
    }
    let mut on_stack = [MaybeUninit::uninit(); ON_STACK];
    let mut on_heap = Vec::new();
    let room = match on_stack.get_mut(..count) {
        Some(room) => room,
        None => {
            on_heap.try_reserve_exact(count).ok()?;
            on_heap.spare_capacity_mut().get_mut(..count)?
        }
    };
    // SAFETY: neither pointer is null, and the arrays are half the size of the room, so they are not too large for a
    // slice. The caller guarantees the rest.
    let slices = unsafe {
        slices(
            slice::from_raw_parts(keys, count),
            slice::from_raw_parts(key_lengths, count),
            room,
        )
    };
    work(slices?)
}

/// Writes slices into the room, and returns them; `None` if one cannot be a key. All have the same length.
///
/// # Safety
///
/// The requirements of [`bytes`], for each pair of a pointer and a length.
unsafe fn slices<'r, 'a>(
    keys: &[*const c_char],
    key_lengths: &[usize],
    room: &'r mut [MaybeUninit<&'a [u8]>],
) -> Option<&'r [&'a [u8]]> {
    let pairs = || keys.iter().copied().zip(key_lengths.iter().copied());
    // All at once and without branches. Null, and addresses that no program has, set the highest bit too.
    let bits = pairs().fold(0, |bits, (key, length)| {
        bits | length | key.addr().wrapping_sub(1)
    });
    let is_usual = isize::try_from(bits).is_ok();
    for (slot, (key, length)) in room.iter_mut().zip(pairs()) {
        // SAFETY: guaranteed by the caller; usual pointers are not null, and usual lengths are valid for slices.
        slot.write(unsafe {
            if is_usual {
                slice::from_raw_parts(key.cast(), length)
            } else {
                bytes(key, length)?
            }
        });
    }
    // SAFETY: the loop wrote all of them, since all have the same length.
    Some(unsafe { &*(ptr::from_ref(room) as *const [&[u8]]) })
}
