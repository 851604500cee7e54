//! LevelDB in C++, see `shim.h`.
#![expect(unsafe_code, reason = "LevelDB is written in C++")]
#![expect(unreachable_pub, reason = "cxx declares functions so")]
#![expect(
    clippy::missing_safety_doc,
    reason = "the lint does not see the section through cxx"
)]

use core::ffi::{c_char, c_int, c_uchar, c_void};

pub use cxx::UniquePtr;
use filter_policy_leveldb::Callbacks;

pub use self::bridge::{Database, Policy, Slices, version};

#[cxx::bridge(namespace = "leveldb_shim")]
mod bridge {
    // SAFETY: the functions keep Rust's rules about references, as cxx requires. They take any values, or end the program.
    unsafe extern "C++" {
        include!("engine-tests/src/leveldb/ffi/shim.h");

        /// Returns LevelDB's version, such as `1.23`.
        fn version() -> String;

        /// Keys as LevelDB takes them.
        type Slices<'a>;
        /// Returns no keys.
        fn empty() -> UniquePtr<Slices<'static>>;
        /// Adds a key.
        fn push<'a>(slices: Pin<&mut Slices<'a>>, key: &'a [u8]);

        /// A policy for LevelDB's C++ code: LevelDB's own, or one of ours behind its C interface.
        type Policy;
        /// Creates LevelDB's own Bloom filter policy.
        #[Self = "Policy"]
        fn builtin(bits_per_key: u16) -> UniquePtr<Policy>;
        /// Creates a policy of the C library as C programs do, with the arguments of `filter_policy_new`.
        #[Self = "Policy"]
        fn c_library(bits_per_key: i32, hash: i32) -> UniquePtr<Policy>;
        /// Takes an object of the C interface.
        ///
        /// # Safety
        ///
        /// It is a `leveldb_filterpolicy_t` that nothing else destroys, and that any thread may call.
        #[Self = "Policy"]
        unsafe fn taken(object: *mut c_char) -> UniquePtr<Policy>;
        /// Returns the policy's name.
        fn name(self: &Policy) -> String;
        /// Builds a filter of at most 2^31 - 1 keys, called as in LevelDB.
        fn create_filter(self: &Policy, keys: &Slices<'_>) -> Vec<u8>;
        /// Builds a filter of every `size` keys, which is not 0, in a loop, and returns their bytes.
        fn create_filters(self: &Policy, keys: &Slices<'_>, size: usize) -> u64;
        /// Queries the keys one by one in a loop, and returns how many the filter may hold.
        fn count_matches(self: &Policy, keys: &Slices<'_>, filter: &[u8]) -> u64;

        /// A LevelDB database that counts reads of its tables. An error has LevelDB's message.
        type Database;
        /// Opens a database, and creates it if it does not exist; the policy may be null.
        #[Self = "Database"]
        fn open(folder: &str, policy: UniquePtr<Policy>, cache_bytes: usize) -> Result<UniquePtr<Database>>;
        /// Stores a value.
        fn put(self: &Database, key: &[u8], value: &[u8]) -> Result<()>;
        /// Deletes a key.
        fn remove(self: &Database, key: &[u8]) -> Result<()>;
        /// Writes the memory table to a table file and merges all tables.
        fn compact(self: &Database);
        /// Returns true if the key is stored.
        fn has(self: &Database, key: &[u8]) -> Result<bool>;
        /// Counts the entries by iterating over them, which queries no filter.
        fn count(self: &Database) -> Result<u64>;
        /// Returns the number of reads of tables since the database was opened: one for a data block that is not
        /// cached, and a few for opening a table.
        fn reads(self: &Database) -> u64;
    }
}

// From leveldb/c.h; the object is LevelDB's `leveldb_filterpolicy_t`.
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
    ) -> *mut c_char;
}

/// Converts keys for LevelDB.
pub fn slices<K: AsRef<[u8]>>(keys: &[K]) -> UniquePtr<Slices<'_>> {
    let mut slices = bridge::empty();
    keys.iter()
        .for_each(|key| bridge::push(slices.pin_mut(), key.as_ref()));
    slices
}

impl Policy {
    /// Wraps one of our policies in LevelDB's C interface.
    ///
    /// # Panics
    ///
    /// If the policy's name is not a C string.
    pub fn ours(policy: impl filter_policy::FilterPolicy + Send + Sync + 'static) -> UniquePtr<Self> {
        let of = Callbacks::new(policy).expect("the policy's name is a C string");
        // SAFETY: the callbacks keep the contract of leveldb/c.h, and LevelDB's object owns their state.
        let object = unsafe {
            leveldb_filterpolicy_create(
                of.state,
                of.destructor,
                of.create_filter,
                of.key_may_match,
                of.name,
            )
        };
        // SAFETY: nothing else destroys it, and the policy is `Send` and `Sync`.
        unsafe { Self::taken(object) }
    }
}
