//! A policy as an object of LevelDB.

use core::ffi::{c_char, c_int, c_uchar, c_void};
use core::fmt;
use core::ptr::NonNull;

use filter_policy::FilterPolicy;

use super::callbacks::Callbacks;
use crate::error::Error;

/// LevelDB's opaque type of the same name.
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

/// A policy as an object of LevelDB.
///
/// [`Database`](super::Database) takes it directly. With other bindings, pass [`as_ptr`](Self::as_ptr) to
/// `leveldb_options_set_filter_policy`.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy};
/// use filter_policy_leveldb::LevelDbPolicy;
///
/// let policy = LevelDbPolicy::new(BloomFilterPolicy::new(BitsPerKey::whole(10)))?;
/// assert!(!policy.as_ptr().is_null());
/// # Ok::<(), filter_policy_leveldb::Error>(())
/// ```
pub struct LevelDbPolicy {
    policy: NonNull<leveldb_filterpolicy_t>,
}

impl LevelDbPolicy {
    /// Moves a policy into LevelDB's object.
    ///
    /// LevelDB queries filters on every thread that reads, and builds filters on its own threads. [`Callbacks`]
    /// documents the handling of panics and failures.
    ///
    /// # Errors
    ///
    /// [`Error::NulInName`], because C would read a shorter name; [`Error::NoMemory`].
    pub fn new<P: FilterPolicy + Send + Sync + 'static>(policy: P) -> Result<Self, Error> {
        let callbacks = Callbacks::new(policy)?;
        // SAFETY: the callbacks keep the contract of leveldb/c.h, and the state belongs to them. LevelDB's object owns
        // the state, and frees it when it is destroyed.
        let policy = unsafe {
            leveldb_filterpolicy_create(
                callbacks.state,
                callbacks.destructor,
                callbacks.create_filter,
                callbacks.key_may_match,
                callbacks.name,
            )
        };
        // LevelDB allocates with C++'s `new`, which does not return if there is no memory.
        Ok(Self {
            policy: NonNull::new(policy).ok_or(Error::NoMemory)?,
        })
    }

    /// Returns LevelDB's object, for `leveldb_options_set_filter_policy`. Use `cast` to convert it to the type of other
    /// bindings.
    ///
    /// The pointer is valid until `self` is dropped, which must happen after every database opened with it is closed.
    /// Do not destroy the object.
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
        // SAFETY: `new` created the object, and all databases that used the pointer are closed.
        unsafe { leveldb_filterpolicy_destroy(self.policy.as_ptr()) }
    }
}

// SAFETY: LevelDB's object is written only when it is created, and `new` requires the policy to be `Send` and `Sync`.
unsafe impl Send for LevelDbPolicy {}
// SAFETY: as above.
unsafe impl Sync for LevelDbPolicy {}
