//! The callbacks of `leveldb_filterpolicy_create`, for any policy.

use core::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use core::ptr::NonNull;
use core::{fmt, slice};
use std::borrow::Cow;
use std::ffi::CString;
use std::io::Write as _;

use filter_policy::{FilterPolicy, MATCHES_EVERYTHING};

use super::c_bytes::CBytes;
use super::state::{State, caught};
use crate::error::Error;

/// The most keys that one filter is built from. LevelDB addresses the entries of a block with 32 bits and
/// spends at least four bytes on an entry, so that no readable table has more in a block.
const MAX_KEYS: usize = 1 << 30;

/// The name for a policy that could not be made. No filter is stored under it by anyone else.
const NO_POLICY: &CStr = c"filter_policy_leveldb.NoPolicy";

/// A policy as the five arguments of `leveldb_filterpolicy_create`, for other bindings.
///
/// Callers who use the system's LevelDB have `LevelDbPolicy` (feature `leveldb`), which needs no unsafe code.
///
/// The callbacks keep the promises of the C functions: no panic crosses into LevelDB (if panics unwind: with
/// `panic = "abort"` they end the program), a question that fails is answered "may match", a filter that
/// cannot be made is the two bytes `00 ff`. Those bytes never reach the policy: every key may match them.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy};
/// use filter_policy_leveldb::Callbacks;
///
/// let callbacks = Callbacks::new(BloomFilterPolicy::bloom_filter2(BitsPerKey::whole(10)))?;
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
#[non_exhaustive]
pub struct Callbacks {
    /// Owned by whoever calls the destructor: LevelDB, once `leveldb_filterpolicy_create` has it.
    pub state: *mut c_void,
    /// Frees the state; called once, last.
    pub destructor: unsafe extern "C" fn(state: *mut c_void),
    /// Gives a filter in memory that `free` takes; see `filter_policy_create_filter` in the header.
    pub create_filter: unsafe extern "C" fn(
        state: *mut c_void,
        keys: *const *const c_char,
        key_lengths: *const usize,
        num_keys: c_int,
        filter_length: *mut usize,
    ) -> *mut c_char,
    /// Answers 0 or 1; see `filter_policy_key_may_match` in the header.
    pub key_may_match: unsafe extern "C" fn(
        state: *mut c_void,
        key: *const c_char,
        length: usize,
        filter: *const c_char,
        filter_length: usize,
    ) -> c_uchar,
    /// The policy's name; valid until the destructor is called.
    pub name: unsafe extern "C" fn(state: *mut c_void) -> *const c_char,
}

impl Callbacks {
    /// Moves a policy into the callbacks. The destructor frees it.
    ///
    /// # Errors
    ///
    /// [`Error::NulInName`], because C would read another name; [`Error::NoMemory`].
    pub fn new<P: FilterPolicy + Send + Sync + 'static>(policy: P) -> Result<Self, Error> {
        let name = CString::new(policy.name()).map_err(|error| Error::NulInName {
            name: policy.name().to_owned(),
            position: error.nul_position(),
        })?;
        let state = State::allocate(policy, P::key_may_match, Cow::Owned(name));
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

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

/// # Safety
///
/// `state` is null or from [`State::allocate`] for the same `P`, and nobody uses it any more.
pub(super) unsafe extern "C" fn destroy<P>(state: *mut c_void) {
    // SAFETY: as the caller says.
    unsafe { State::<P>::destroy(state) }
}

/// # Safety
///
/// `state` is null or from [`State::allocate`] for the same `P`. `keys` and `key_lengths` are null or have
/// `num_keys` elements, of which each pair is a null pointer or that many readable bytes. `filter_length` is
/// null or may be written.
pub(super) unsafe extern "C" fn create_filter<P: FilterPolicy>(
    state: *mut c_void,
    keys: *const *const c_char,
    key_lengths: *const usize,
    num_keys: c_int,
    filter_length: *mut usize,
) -> *mut c_char {
    // SAFETY: as the caller says.
    let state = unsafe { State::<P>::from_ptr(state) };
    if let Some(state) = state {
        state.reserve().refill();
    }

    // A caller who does not learn the length cannot use more than the two bytes.
    let created = state.filter(|_| !filter_length.is_null()).and_then(|state| {
        caught(|| {
            // SAFETY: as the caller says of the arrays; they are not used after this call.
            let keys = unsafe { key_slices(keys, key_lengths, num_keys) }?;
            state.create_filter(&keys)
        })
    });
    let (filter, len) = match created {
        Some((bytes, len)) => (bytes.into_raw(), len),
        None => (may_match(state), MATCHES_EVERYTHING.len()),
    };
    if !filter_length.is_null() {
        // SAFETY: as the caller says. What was there before may be uninitialised.
        unsafe { filter_length.write(len) };
    }
    filter.as_ptr()
}

/// # Safety
///
/// `state` is null or from [`State::allocate`] for the same `P`. `key` and `filter` are null or have as many
/// readable bytes as the length beside each says.
#[inline]
pub(super) unsafe extern "C" fn key_may_match<P: FilterPolicy>(
    state: *mut c_void,
    key: *const c_char,
    length: usize,
    filter: *const c_char,
    filter_length: usize,
) -> c_uchar {
    // One question takes so little time that what is unusual is sorted out by few comparisons.
    let is_usual = !state.is_null()
        && !key.is_null()
        && !filter.is_null()
        && isize::try_from(length | filter_length).is_ok()
        && filter_length > MATCHES_EVERYTHING.len();
    if !is_usual {
        // SAFETY: as the caller says.
        return unsafe { unusual_key_may_match::<P>(state, key, length, filter, filter_length) };
    }
    // SAFETY: no pointer is null, and slices may have these lengths; the rest is as the caller says, and the bytes are not used
    // after this call.
    let (state, key, filter) = unsafe {
        (
            &*state.cast::<State<P>>(),
            slice::from_raw_parts(key.cast(), length),
            slice::from_raw_parts(filter.cast(), filter_length),
        )
    };
    c_uchar::from(state.key_may_match(key, filter).unwrap_or(true))
}

/// Answers where a pointer is null, a length is impossible, or the filter matches everything.
///
/// # Safety
///
/// As for [`key_may_match`].
#[cold]
#[inline(never)]
unsafe fn unusual_key_may_match<P: FilterPolicy>(
    state: *mut c_void,
    key: *const c_char,
    length: usize,
    filter: *const c_char,
    filter_length: usize,
) -> c_uchar {
    // SAFETY: as the caller says.
    let state = unsafe { State::<P>::from_ptr(state) };
    // SAFETY: as the caller says; the bytes are not used after this call.
    let (key, filter) = unsafe { (bytes(key, length), bytes(filter, filter_length)) };
    let answer = match (state, key, filter) {
        // Policies with an encoding of their own need not know what these bytes mean.
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
    // SAFETY: as the caller says.
    let state = unsafe { State::<P>::from_ptr(state) };
    state.map_or(NO_POLICY, State::name).as_ptr()
}

/// The two bytes that every key may match, in memory that `free` takes.
fn may_match<P>(state: Option<&State<P>>) -> NonNull<c_char> {
    CBytes::may_match()
        .map(CBytes::into_raw)
        .or_else(|| state?.reserve().take())
        .unwrap_or_else(|| {
            // Null or an empty filter would deny keys that are there.
            let _ = std::io::stderr()
                .write_all(b"filter_policy_leveldb: no memory for the two bytes that keep keys visible\n");
            std::process::abort()
        })
}

/// The bytes at a pointer; `None` if there cannot be as many.
///
/// # Safety
///
/// A pointer that is not null has `len` bytes that can be read and that nobody writes during `'a`.
unsafe fn bytes<'a>(start: *const c_char, len: usize) -> Option<&'a [u8]> {
    if len == 0 {
        return Some(&[]);
    }
    let start = NonNull::new(start.cast_mut().cast::<u8>())?;
    if isize::try_from(len).is_err() {
        return None;
    }
    // SAFETY: the pointer is not null, and the length is one that a slice may have; the rest is as the caller
    // says.
    Some(unsafe { slice::from_raw_parts(start.as_ptr(), len) })
}

/// The keys in C's two arrays; `None` if they cannot be keys or there is no memory.
///
/// # Safety
///
/// As for [`bytes`], for each pair of a pointer and a length, and for the arrays themselves.
unsafe fn key_slices<'a>(
    keys: *const *const c_char,
    key_lengths: *const usize,
    num_keys: c_int,
) -> Option<Vec<&'a [u8]>> {
    let count = usize::try_from(num_keys)
        .ok()
        .filter(|&count| count <= MAX_KEYS)?;
    let mut slices = Vec::new();
    if count == 0 {
        return Some(slices);
    }
    if keys.is_null() || key_lengths.is_null() {
        return None;
    }
    slices.try_reserve_exact(count).ok()?;
    // SAFETY: neither pointer is null, and arrays of half the size that was just reserved are not too large for a
    // slice; the rest is as the caller says.
    let (keys, key_lengths) = unsafe {
        (
            slice::from_raw_parts(keys, count),
            slice::from_raw_parts(key_lengths, count),
        )
    };
    for (&key, &length) in keys.iter().zip(key_lengths) {
        // SAFETY: as the caller says.
        slices.push(unsafe { bytes(key, length) }?);
    }
    Some(slices)
}
