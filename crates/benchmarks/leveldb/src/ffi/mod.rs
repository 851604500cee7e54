//! Safe types around the shim.
#![expect(unsafe_code, reason = "LevelDB is written in C++")]

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;
use core::slice;
use std::ffi::CString;
use std::path::Path;

use bench_kit::policies::EngineSlice;
use filter_policy_leveldb::LevelDbPolicy;
use filter_policy_leveldb::ffi::leveldb_filterpolicy_t;

#[repr(C)]
struct FilterPolicy {
    opaque: [u8; 0],
}

#[repr(C)]
struct RawEngine {
    opaque: [u8; 0],
}

// From shim.cc.
unsafe extern "C" {
    fn shim_policy_builtin(bits_per_key: c_int) -> *const FilterPolicy;
    fn shim_policy_c_library(bits_per_key: c_int, hash: c_int) -> *mut leveldb_filterpolicy_t;
    fn shim_policy_of(policy: *mut leveldb_filterpolicy_t) -> *const FilterPolicy;
    fn shim_policy_destroy(policy: *const FilterPolicy);
    fn shim_policy_name(policy: *const FilterPolicy) -> *const c_char;
    fn shim_policy_create_filter(
        policy: *const FilterPolicy,
        keys: *const EngineSlice<'_>,
        n: usize,
        filter_length: *mut usize,
    ) -> *mut c_char;
    fn shim_policy_create_filters(
        policy: *const FilterPolicy,
        keys: *const EngineSlice<'_>,
        n: usize,
        size: usize,
    ) -> u64;
    fn shim_policy_count_matches(
        policy: *const FilterPolicy,
        keys: *const EngineSlice<'_>,
        n: usize,
        filter: *const EngineSlice<'_>,
    ) -> u64;
    fn shim_engine_open(
        folder: *const c_char,
        policy: *const FilterPolicy,
        cache_bytes: usize,
        error: *mut *mut c_char,
    ) -> *mut RawEngine;
    fn shim_engine_close(engine: *mut RawEngine);
    fn shim_engine_put(
        engine: *mut RawEngine,
        key: *const EngineSlice<'_>,
        value: *const EngineSlice<'_>,
    ) -> *mut c_char;
    fn shim_engine_delete(engine: *mut RawEngine, key: *const EngineSlice<'_>) -> *mut c_char;
    fn shim_engine_compact(engine: *mut RawEngine);
    fn shim_engine_get(engine: *mut RawEngine, key: *const EngineSlice<'_>, error: *mut *mut c_char)
    -> c_int;
    fn shim_engine_count(engine: *mut RawEngine, error: *mut *mut c_char) -> u64;
    fn shim_engine_reads(engine: *const RawEngine) -> u64;
}

// From leveldb/c.h.
unsafe extern "C" {
    fn leveldb_filterpolicy_destroy(policy: *mut leveldb_filterpolicy_t);
    fn leveldb_free(bytes: *mut c_void);
    fn leveldb_major_version() -> c_int;
    fn leveldb_minor_version() -> c_int;
}

/// Returns LevelDB's version, such as `1.23`.
pub fn version() -> String {
    // SAFETY: both functions return a constant.
    let (major, minor) = unsafe { (leveldb_major_version(), leveldb_minor_version()) };
    format!("{major}.{minor}")
}

/// A policy for LevelDB's C++ code: LevelDB's own, or one of ours behind its C interface.
pub struct EnginePolicy {
    policy: *const FilterPolicy,
    owner: Owner,
}

/// The owner, which frees the policy.
enum Owner {
    /// LevelDB created the policy; C++ frees it.
    Engine,
    /// The Rust hook frees the policy.
    Hook { _policy: LevelDbPolicy },
    /// The C interface frees the policy.
    CInterface(*mut leveldb_filterpolicy_t),
}

// SAFETY: LevelDB's policies may be called from any thread, and ours are `Send` and `Sync`.
unsafe impl Send for EnginePolicy {}
// SAFETY: as above.
unsafe impl Sync for EnginePolicy {}

impl EnginePolicy {
    /// Creates LevelDB's own Bloom filter policy.
    ///
    /// # Panics
    ///
    /// If the bits per key are above 2^31 - 1.
    pub fn builtin(bits_per_key: u32) -> Self {
        let bits = c_int::try_from(bits_per_key).expect("bits per key are too many for LevelDB");
        Self {
            // SAFETY: LevelDB accepts any non-negative number.
            policy: unsafe { shim_policy_builtin(bits) },
            owner: Owner::Engine,
        }
    }

    /// Wraps one of our policies in LevelDB's C interface.
    ///
    /// # Panics
    ///
    /// If the policy's name is not a C string.
    pub fn ours(policy: impl filter_policy::FilterPolicy + Send + Sync + 'static) -> Self {
        let ours = LevelDbPolicy::new(policy).expect("the policy's name is a C string");
        Self {
            // SAFETY: the object lives as long as `ours`.
            policy: unsafe { shim_policy_of(ours.as_ptr()) },
            owner: Owner::Hook { _policy: ours },
        }
    }

    /// Creates a policy of the C library as C programs do, with the arguments of `filter_policy_new`.
    pub fn c_library(bits_per_key: c_int, hash: c_int) -> Self {
        // SAFETY: the C library accepts any numbers.
        let object = unsafe { shim_policy_c_library(bits_per_key, hash) };
        Self {
            // SAFETY: the object lives until it is destroyed in `drop`.
            policy: unsafe { shim_policy_of(object) },
            owner: Owner::CInterface(object),
        }
    }

    /// Returns the policy's name.
    pub fn name(&self) -> String {
        // SAFETY: the policy is alive, and the name is copied.
        unsafe { CStr::from_ptr(shim_policy_name(self.policy)) }
            .to_string_lossy()
            .into_owned()
    }

    /// Builds a filter, called as in LevelDB.
    ///
    /// # Panics
    ///
    /// If there are more than 2^31 - 1 keys.
    pub fn create_filter(&self, keys: &[impl AsRef<[u8]>]) -> Vec<u8> {
        assert!(
            c_int::try_from(keys.len()).is_ok(),
            "the keys are too many for LevelDB"
        );
        let keys = EngineSlice::of(keys);
        let mut length = 0;
        // SAFETY: the policy is alive, and `keys.len()` is the number of keys.
        let filter =
            unsafe { shim_policy_create_filter(self.policy, keys.as_ptr(), keys.len(), &raw mut length) };
        // SAFETY: the shim returned `length` bytes.
        let copy = unsafe { slice::from_raw_parts(filter.cast::<u8>(), length) }.to_vec();
        // SAFETY: the shim allocated the bytes for the caller.
        unsafe { leveldb_free(filter.cast()) };
        copy
    }

    /// Queries a filter, called as in LevelDB.
    pub fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        self.count_matches(&[key.into()], filter) == 1
    }

    /// Builds a filter of every `size` keys in a C++ loop, and returns the sum of their first bytes.
    ///
    /// # Panics
    ///
    /// If the size is 0 or above 2^31 - 1.
    pub fn create_filters(&self, keys: &[EngineSlice<'_>], size: usize) -> u64 {
        assert!(
            size > 0 && c_int::try_from(size).is_ok(),
            "LevelDB takes no filter of {size} keys"
        );
        // SAFETY: the policy is alive, and `keys.len()` is the number of keys.
        unsafe { shim_policy_create_filters(self.policy, keys.as_ptr(), keys.len(), size) }
    }

    /// Queries the keys one by one in a C++ loop, and returns how many the filter may hold.
    pub fn count_matches(&self, keys: &[EngineSlice<'_>], filter: &[u8]) -> u64 {
        let filter = EngineSlice::from(filter);
        // SAFETY: the policy is alive, and `keys.len()` is the number of keys.
        unsafe { shim_policy_count_matches(self.policy, keys.as_ptr(), keys.len(), &raw const filter) }
    }
}

impl Drop for EnginePolicy {
    fn drop(&mut self) {
        match &self.owner {
            // SAFETY: `builtin` created the policy, and nothing uses it any more.
            Owner::Engine => unsafe { shim_policy_destroy(self.policy) },
            // Dropped as a field.
            Owner::Hook { .. } => {}
            // SAFETY: `c_library` created the object, and nothing uses it any more.
            Owner::CInterface(object) => unsafe { leveldb_filterpolicy_destroy(*object) },
        }
    }
}

/// A LevelDB database that counts reads of its tables.
///
/// # Panics
///
/// All methods except [`try_has`](Self::try_has) panic with LevelDB's message if it reports an error, because a test or
/// benchmark cannot continue.
pub struct Engine {
    engine: *mut RawEngine,
    // Dropped after the engine is closed.
    _policy: Option<EnginePolicy>,
}

// SAFETY: nothing in LevelDB is bound to a thread.
unsafe impl Send for Engine {}
// SAFETY: LevelDB's databases need no external synchronization, and the count of reads is atomic.
unsafe impl Sync for Engine {}

impl Engine {
    /// Opens a database, and creates it if it does not exist.
    pub fn open(folder: &Path, policy: Option<EnginePolicy>, cache_bytes: usize) -> Self {
        let name = CString::new(folder.as_os_str().as_encoded_bytes()).expect("paths have no NUL");
        let mut error = ptr::null_mut();
        let raw = policy.as_ref().map_or(ptr::null(), |policy| policy.policy);
        // SAFETY: the name ends with a NUL, and the policy outlives the engine, which owns it.
        let engine = unsafe { shim_engine_open(name.as_ptr(), raw, cache_bytes, &raw mut error) };
        check(error);
        Self {
            engine,
            _policy: policy,
        }
    }

    /// Stores a value.
    pub fn put(&self, key: &[u8], value: &[u8]) {
        let (key, value) = (EngineSlice::from(key), EngineSlice::from(value));
        // SAFETY: the engine is open, and LevelDB copies the bytes of the slices.
        check(unsafe { shim_engine_put(self.engine, &raw const key, &raw const value) });
    }

    /// Deletes a key.
    pub fn delete(&self, key: &[u8]) {
        let key = EngineSlice::from(key);
        // SAFETY: as in `put`.
        check(unsafe { shim_engine_delete(self.engine, &raw const key) });
    }

    /// Writes the memory table to a table file and merges all tables.
    pub fn compact(&self) {
        // SAFETY: the engine is open.
        unsafe { shim_engine_compact(self.engine) }
    }

    /// Returns true if the key is stored.
    #[inline]
    pub fn has(&self, key: &[u8]) -> bool {
        self.try_has(key)
            .unwrap_or_else(|message| panic!("LevelDB: {message}"))
    }

    /// Returns true if the key is stored, in a database that may be damaged.
    ///
    /// # Errors
    ///
    /// If LevelDB reports an error; with its message.
    #[inline]
    pub fn try_has(&self, key: &[u8]) -> Result<bool, String> {
        let (key, mut error) = (EngineSlice::from(key), ptr::null_mut());
        // SAFETY: the engine is open.
        let found = unsafe { shim_engine_get(self.engine, &raw const key, &raw mut error) };
        reported(error).map(|()| found != 0)
    }

    /// Counts the entries by iterating over them, which queries no filter.
    pub fn count(&self) -> u64 {
        let mut error = ptr::null_mut();
        // SAFETY: the engine is open.
        let entries = unsafe { shim_engine_count(self.engine, &raw mut error) };
        check(error);
        entries
    }

    /// Returns the number of reads of tables since the database was opened: one for a data block that is not cached,
    /// and a few for opening a table.
    pub fn reads(&self) -> u64 {
        // SAFETY: the engine is open.
        unsafe { shim_engine_reads(self.engine) }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: `open` created the engine, and nothing uses it any more.
        unsafe { shim_engine_close(self.engine) }
    }
}

/// Converts the shim's error pointer to a result, and frees the message.
fn reported(error: *mut c_char) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the shim's errors end with a NUL.
    let message = unsafe { CStr::from_ptr(error) }.to_string_lossy().into_owned();
    // SAFETY: the shim allocated the message for the caller.
    unsafe { leveldb_free(error.cast()) };
    Err(message)
}

fn check(error: *mut c_char) {
    if let Err(message) = reported(error) {
        panic!("LevelDB: {message}");
    }
}
