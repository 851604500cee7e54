//! The hook: a policy of ours as an object of LevelDB's.

use core::ffi::{c_char, c_int, c_uchar, c_void};
use core::fmt;
use core::ptr::NonNull;

use filter_policy::FilterPolicy;

use super::callbacks::Callbacks;
use crate::error::Error;

/// LevelDB's type of the same name, which only LevelDB looks into.
#[repr(C)]
pub struct leveldb_filterpolicy_t {
    opaque: [u8; 0],
}

// From leveldb/c.h, LevelDB 1.23; unchanged since 1.5.
#[link(name = "leveldb")]
unsafe extern "C" {
    fn leveldb_filterpolicy_create(
        state: *mut c_void,
        destructor: unsafe extern "C" fn(*mut c_void),
        create_filter: unsafe extern "C" fn(
            *mut c_void,
            *const *const c_char,
            *const usize,
            c_int,
            *mut usize,
        ) -> *mut c_char,
        key_may_match: unsafe extern "C" fn(
            *mut c_void,
            *const c_char,
            usize,
            *const c_char,
            usize,
        ) -> c_uchar,
        name: unsafe extern "C" fn(*mut c_void) -> *const c_char,
    ) -> *mut leveldb_filterpolicy_t;
    fn leveldb_filterpolicy_destroy(policy: *mut leveldb_filterpolicy_t);
}

/// A policy as the object that LevelDB takes.
///
/// [`Database`](super::Database) takes it as it is. For a database that other bindings open, hand
/// [`as_ptr`](Self::as_ptr) to `leveldb_options_set_filter_policy`.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy};
/// use filter_policy_leveldb::LevelDbPolicy;
///
/// let policy = LevelDbPolicy::new(BloomFilterPolicy::bloom_filter2(BitsPerKey::whole(10)))?;
/// assert!(!policy.as_ptr().is_null());
/// # Ok::<(), filter_policy_leveldb::Error>(())
/// ```
pub struct LevelDbPolicy {
    policy: NonNull<leveldb_filterpolicy_t>,
}

impl LevelDbPolicy {
    /// Moves a policy into LevelDB's object.
    ///
    /// LevelDB asks from whatever threads read, and builds filters in threads of its own. What becomes of
    /// panics and failures is said at [`Callbacks`].
    ///
    /// # Errors
    ///
    /// [`Error::NulInName`], because C would read another name; [`Error::NoMemory`].
    pub fn new<P: FilterPolicy + Send + Sync + 'static>(policy: P) -> Result<Self, Error> {
        let callbacks = Callbacks::new(policy)?;
        // SAFETY: the callbacks keep the contract of leveldb/c.h, and the state is theirs. LevelDB's object
        // takes the state, and frees it when it is destroyed.
        let policy = unsafe {
            leveldb_filterpolicy_create(
                callbacks.state,
                callbacks.destructor,
                callbacks.create_filter,
                callbacks.key_may_match,
                callbacks.name,
            )
        };
        // LevelDB allocates with C++'s `new`, which does not return where there is no memory.
        Ok(Self {
            policy: NonNull::new(policy).ok_or(Error::NoMemory)?,
        })
    }

    /// Returns LevelDB's object, for `leveldb_options_set_filter_policy`; other bindings have their own type, to
    /// which `cast` converts it.
    ///
    /// The pointer is good until `self` is dropped, which must happen after every database that was opened
    /// with it is closed. Do not destroy the object.
    pub fn as_ptr(&self) -> *mut leveldb_filterpolicy_t {
        self.policy.as_ptr()
    }
}

impl fmt::Debug for LevelDbPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LevelDbPolicy").finish_non_exhaustive()
    }
}

impl Drop for LevelDbPolicy {
    fn drop(&mut self) {
        // SAFETY: `new` created the object, and whoever had the pointer has closed the database.
        unsafe { leveldb_filterpolicy_destroy(self.policy.as_ptr()) }
    }
}

// SAFETY: LevelDB's object is written once, when it is created; the policy in it is `Send` and `Sync`, as `new`
// demands.
unsafe impl Send for LevelDbPolicy {}
// SAFETY: as above.
unsafe impl Sync for LevelDbPolicy {}
