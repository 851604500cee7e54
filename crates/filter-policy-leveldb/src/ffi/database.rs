//! A database with a policy: the part of LevelDB that is needed to use a policy without unsafe code.

use core::ffi::{CStr, c_char, c_int, c_uchar};
use core::ptr::{self, NonNull};
use core::{fmt, slice};
use std::ffi::CString;
use std::path::Path;

use super::leveldb::{LevelDbPolicy, leveldb_filterpolicy_t};
use crate::error::Error;

/// Declares types whose contents only LevelDB knows.
macro_rules! opaque {
    ($($name:ident)+) => { $(
        #[repr(C)]
        struct $name {
            opaque: [u8; 0],
        }
    )+ };
}

opaque! { leveldb_t leveldb_options_t leveldb_readoptions_t leveldb_writeoptions_t leveldb_cache_t }

// From leveldb/c.h, LevelDB 1.23.
#[link(name = "leveldb")]
unsafe extern "C" {
    fn leveldb_options_create() -> *mut leveldb_options_t;
    fn leveldb_options_destroy(options: *mut leveldb_options_t);
    fn leveldb_options_set_filter_policy(
        options: *mut leveldb_options_t,
        policy: *mut leveldb_filterpolicy_t,
    );
    fn leveldb_options_set_create_if_missing(options: *mut leveldb_options_t, value: c_uchar);
    fn leveldb_options_set_write_buffer_size(options: *mut leveldb_options_t, bytes: usize);
    fn leveldb_options_set_block_size(options: *mut leveldb_options_t, bytes: usize);
    fn leveldb_options_set_cache(options: *mut leveldb_options_t, cache: *mut leveldb_cache_t);
    fn leveldb_options_set_compression(options: *mut leveldb_options_t, kind: c_int);
    fn leveldb_readoptions_create() -> *mut leveldb_readoptions_t;
    fn leveldb_readoptions_destroy(options: *mut leveldb_readoptions_t);
    fn leveldb_writeoptions_create() -> *mut leveldb_writeoptions_t;
    fn leveldb_writeoptions_destroy(options: *mut leveldb_writeoptions_t);
    fn leveldb_cache_create_lru(capacity: usize) -> *mut leveldb_cache_t;
    fn leveldb_cache_destroy(cache: *mut leveldb_cache_t);

    fn leveldb_open(
        options: *const leveldb_options_t,
        name: *const c_char,
        error: *mut *mut c_char,
    ) -> *mut leveldb_t;
    fn leveldb_close(db: *mut leveldb_t);
    fn leveldb_put(
        db: *mut leveldb_t,
        options: *const leveldb_writeoptions_t,
        key: *const c_char,
        key_length: usize,
        value: *const c_char,
        value_length: usize,
        error: *mut *mut c_char,
    );
    fn leveldb_delete(
        db: *mut leveldb_t,
        options: *const leveldb_writeoptions_t,
        key: *const c_char,
        key_length: usize,
        error: *mut *mut c_char,
    );
    fn leveldb_get(
        db: *mut leveldb_t,
        options: *const leveldb_readoptions_t,
        key: *const c_char,
        key_length: usize,
        value_length: *mut usize,
        error: *mut *mut c_char,
    ) -> *mut c_char;
    fn leveldb_compact_range(
        db: *mut leveldb_t,
        start: *const c_char,
        start_length: usize,
        limit: *const c_char,
        limit_length: usize,
    );
    fn leveldb_property_value(db: *mut leveldb_t, name: *const c_char) -> *mut c_char;
    fn leveldb_free(bytes: *mut libc::c_void);
}

/// Options for opening a [`Database`]. The defaults are LevelDB's, except for
/// [`create_if_missing`](Self::create_if_missing).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseOptions {
    create_if_missing: bool,
    write_buffer_bytes: usize,
    block_bytes: usize,
    cache_bytes: usize,
    compression: bool,
}

impl DatabaseOptions {
    /// Sets whether a missing database is created; `true` by default.
    #[must_use]
    pub const fn create_if_missing(self, create_if_missing: bool) -> Self {
        Self {
            create_if_missing,
            ..self
        }
    }

    /// Sets how many bytes of written data stay in memory before they become a table; 4 MiB by default.
    #[must_use]
    pub const fn write_buffer_bytes(self, write_buffer_bytes: usize) -> Self {
        Self {
            write_buffer_bytes,
            ..self
        }
    }

    /// Sets the approximate size of a block before compression, in bytes; 4096 by default.
    #[must_use]
    pub const fn block_bytes(self, block_bytes: usize) -> Self {
        Self { block_bytes, ..self }
    }

    /// Sets how many bytes of blocks are cached; 8 MiB by default, and 0 caches none.
    #[must_use]
    pub const fn cache_bytes(self, cache_bytes: usize) -> Self {
        Self { cache_bytes, ..self }
    }

    /// Sets whether blocks are compressed with Snappy; `true` by default.
    #[must_use]
    pub const fn compression(self, compression: bool) -> Self {
        Self { compression, ..self }
    }
}

impl Default for DatabaseOptions {
    fn default() -> Self {
        Self {
            create_if_missing: true,
            write_buffer_bytes: 4 << 20,
            block_bytes: 4096,
            cache_bytes: 8 << 20,
            compression: true,
        }
    }
}

/// A LevelDB database with a filter policy.
///
/// It owns its policy, which therefore outlives it. The interface is deliberately small: other bindings, with
/// iterators, batches and snapshots, accept a [`LevelDbPolicy`] too.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy};
/// use filter_policy_leveldb::{Database, DatabaseOptions, LevelDbPolicy};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("db");
/// let policy = LevelDbPolicy::new(BloomFilterPolicy::new(BitsPerKey::whole(10)))?;
/// let db = Database::open(&path, Some(policy), &DatabaseOptions::default())?;
/// db.put(b"key", b"value")?;
/// db.compact();
/// assert_eq!(db.get(b"key")?.as_deref(), Some(&b"value"[..]));
/// assert_eq!(db.get(b"another")?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Database {
    db: Open,
    read_options: NonNull<leveldb_readoptions_t>,
    write_options: NonNull<leveldb_writeoptions_t>,
    // The database uses both until it is closed. Fields are dropped in this order.
    _cache: Cache,
    _policy: Option<LevelDbPolicy>,
}

/// LevelDB's open database.
struct Open(NonNull<leveldb_t>);

impl Open {
    const fn as_ptr(&self) -> *mut leveldb_t {
        self.0.as_ptr()
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: `Database::open` opened it, and nothing else uses it.
        unsafe { leveldb_close(self.0.as_ptr()) }
    }
}

/// LevelDB's block cache.
struct Cache(*mut leveldb_cache_t);

impl Drop for Cache {
    fn drop(&mut self) {
        // SAFETY: `Database::open` created it, and no database uses it any more.
        unsafe { leveldb_cache_destroy(self.0) }
    }
}

impl Database {
    /// Opens the database in a folder, with or without a policy. Filters stored under another policy's name are
    /// ignored.
    ///
    /// # Errors
    ///
    /// [`Error::NulInPath`]; [`Error::LevelDb`] if LevelDB cannot open it, for instance because another process has it
    /// open.
    pub fn open(
        path: &Path,
        policy: Option<LevelDbPolicy>,
        options: &DatabaseOptions,
    ) -> Result<Self, Error> {
        let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| Error::NulInPath {
            path: path.to_owned(),
        })?;
        // SAFETY: every capacity is valid.
        let cache = Cache(unsafe { leveldb_cache_create_lru(options.cache_bytes) });
        let mut error = ptr::null_mut();
        // SAFETY: the options live until they are destroyed here; LevelDB copies them. The cache and the policy outlive
        // the database, since it holds them. The name ends with a NUL.
        let db = unsafe {
            let raw = leveldb_options_create();
            if let Some(policy) = &policy {
                leveldb_options_set_filter_policy(raw, policy.as_ptr());
            }
            leveldb_options_set_create_if_missing(raw, c_uchar::from(options.create_if_missing));
            leveldb_options_set_write_buffer_size(raw, options.write_buffer_bytes);
            leveldb_options_set_block_size(raw, options.block_bytes);
            leveldb_options_set_cache(raw, cache.0);
            // 0 is leveldb_no_compression, 1 leveldb_snappy_compression.
            leveldb_options_set_compression(raw, c_int::from(options.compression));
            let db = leveldb_open(raw, name.as_ptr(), &raw mut error);
            leveldb_options_destroy(raw);
            db
        };
        reported("open", error)?;
        // LevelDB allocates with C++'s `new`, so it reports no error either when the pointer is null.
        // If a later step fails, `db` is dropped before the cache and the policy that it uses.
        let db = Open(NonNull::new(db).ok_or(Error::NoMemory)?);
        let (read_options, write_options) = (
            // SAFETY: these functions have no preconditions.
            NonNull::new(unsafe { leveldb_readoptions_create() }).ok_or(Error::NoMemory)?,
            // SAFETY: as above.
            NonNull::new(unsafe { leveldb_writeoptions_create() }).ok_or(Error::NoMemory)?,
        );
        Ok(Self {
            db,
            read_options,
            write_options,
            _cache: cache,
            _policy: policy,
        })
    }

    /// Stores a value under a key, replacing any old value.
    ///
    /// # Errors
    ///
    /// [`Error::LevelDb`].
    pub fn put(&self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        let mut error = ptr::null_mut();
        // SAFETY: the database is open, and the slices have the given lengths; LevelDB copies them.
        unsafe {
            leveldb_put(
                self.db.as_ptr(),
                self.write_options.as_ptr(),
                key.as_ptr().cast(),
                key.len(),
                value.as_ptr().cast(),
                value.len(),
                &raw mut error,
            );
        }
        reported("put", error)
    }

    /// Deletes a key, which need not exist.
    ///
    /// # Errors
    ///
    /// [`Error::LevelDb`].
    pub fn delete(&self, key: &[u8]) -> Result<(), Error> {
        let mut error = ptr::null_mut();
        // SAFETY: the database is open, and the slice has the given length; LevelDB copies it.
        unsafe {
            leveldb_delete(
                self.db.as_ptr(),
                self.write_options.as_ptr(),
                key.as_ptr().cast(),
                key.len(),
                &raw mut error,
            );
        }
        reported("delete", error)
    }

    /// Returns the value under a key, or `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::LevelDb`].
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let mut error = ptr::null_mut();
        let mut length = 0;
        // SAFETY: the database is open, and the slice has the given length.
        let value = unsafe {
            leveldb_get(
                self.db.as_ptr(),
                self.read_options.as_ptr(),
                key.as_ptr().cast(),
                key.len(),
                &raw mut length,
                &raw mut error,
            )
        };
        reported("get", error)?;
        let Some(value) = NonNull::new(value) else {
            return Ok(None);
        };
        // SAFETY: LevelDB returned `length` bytes at the pointer.
        let copy = unsafe { slice::from_raw_parts(value.as_ptr().cast::<u8>(), length) }.to_vec();
        // SAFETY: LevelDB allocated it, and the copy does not refer to it.
        unsafe { leveldb_free(value.as_ptr().cast()) };
        Ok(Some(copy))
    }

    /// Writes the data in memory to tables and merges all tables, which rebuilds their filters.
    pub fn compact(&self) {
        // SAFETY: the database is open; null pointers mean all keys.
        unsafe { leveldb_compact_range(self.db.as_ptr(), ptr::null(), 0, ptr::null(), 0) }
    }

    /// Returns a property of LevelDB, such as `leveldb.stats`; `None` if there is no property of this name.
    pub fn property(&self, name: &str) -> Option<String> {
        let name = CString::new(name).ok()?;
        // SAFETY: the database is open, and the name ends with a NUL.
        let value = NonNull::new(unsafe { leveldb_property_value(self.db.as_ptr(), name.as_ptr()) })?;
        Some(taken(value))
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: `open` created both, and nothing else uses them: the database keeps neither.
        unsafe {
            leveldb_readoptions_destroy(self.read_options.as_ptr());
            leveldb_writeoptions_destroy(self.write_options.as_ptr());
        }
    }
}

// SAFETY: nothing in LevelDB is bound to a thread.
unsafe impl Send for Database {}
// SAFETY: db.h: "A DB is safe for concurrent access from multiple threads without any external
// synchronization"; the options are only read.
unsafe impl Sync for Database {}

/// Converts the message at LevelDB's error pointer, if there is one, to an error.
fn reported(action: &'static str, error: *mut c_char) -> Result<(), Error> {
    match NonNull::new(error) {
        None => Ok(()),
        Some(error) => Err(Error::LevelDb {
            action,
            message: taken(error),
        }),
    }
}

/// Copies a string that LevelDB allocated, and frees it.
fn taken(string: NonNull<c_char>) -> String {
    // SAFETY: LevelDB's strings end with a NUL.
    let text = unsafe { CStr::from_ptr(string.as_ptr()) }
        .to_string_lossy()
        .into_owned();
    // SAFETY: LevelDB allocated it, and nothing else has the pointer.
    unsafe { leveldb_free(string.as_ptr().cast()) };
    text
}
