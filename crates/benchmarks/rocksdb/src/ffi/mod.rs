//! Safe types around the shim.
#![expect(unsafe_code, reason = "RocksDB is written in C++")]

use core::ffi::{CStr, c_char, c_void};
use core::slice;
use std::ffi::CString;
use std::path::Path;

use bench_kit::policies::EngineSlice;

#[repr(C)]
struct RawPolicy {
    opaque: [u8; 0],
}

#[repr(C)]
struct RawReader {
    opaque: [u8; 0],
}

// From shim.cc.
unsafe extern "C" {
    fn shim_version() -> *mut c_char;
    fn shim_free(bytes: *mut c_void);
    fn shim_policy_new(ribbon: bool, bits_per_key: f64, format_version: u32) -> *mut RawPolicy;
    fn shim_policy_destroy(policy: *mut RawPolicy);
    fn shim_policy_create_filter(
        policy: *const RawPolicy,
        keys: *const EngineSlice<'_>,
        n: usize,
        filter_length: *mut usize,
    ) -> *mut c_char;
    fn shim_policy_create_filters(
        policy: *const RawPolicy,
        keys: *const EngineSlice<'_>,
        n: usize,
        size: usize,
    ) -> u64;
    fn shim_reader_new(policy: *const RawPolicy, filter: *const c_char, length: usize) -> *mut RawReader;
    fn shim_reader_destroy(reader: *mut RawReader);
    fn shim_reader_count_matches(reader: *mut RawReader, keys: *const EngineSlice<'_>, n: usize) -> u64;
    fn shim_reader_count_matches_in_batches(
        reader: *mut RawReader,
        keys: *const EngineSlice<'_>,
        n: usize,
    ) -> u64;
    fn shim_write_table(
        policy: *const RawPolicy,
        path: *const c_char,
        keys: *const EngineSlice<'_>,
        n: usize,
        partition_bytes: u64,
    ) -> *mut c_char;
}

/// Returns the version of RocksDB's library, such as `7.8.3`.
pub fn version() -> String {
    // SAFETY: the shim returns newly allocated text.
    unsafe { taken(shim_version()) }
}

/// Copies and frees text of the shim.
///
/// # Safety
///
/// `text` points to NUL-terminated text from `malloc`, which nothing else frees.
unsafe fn taken(text: *mut c_char) -> String {
    // SAFETY: as the caller promises.
    let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    // SAFETY: likewise.
    unsafe { shim_free(text.cast()) };
    copy
}

/// The form of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableForm {
    /// One filter for all keys.
    Full,
    /// Partitions, each with a filter and a part of the index of `bytes` bytes.
    Partitioned {
        /// RocksDB's `metadata_block_size`.
        bytes: u64,
    },
}

/// One of RocksDB's own policies.
pub struct EnginePolicy {
    policy: *mut RawPolicy,
}

// SAFETY: RocksDB's policies may be called from any thread.
unsafe impl Send for EnginePolicy {}
// SAFETY: as above; the shim's own state is only read.
unsafe impl Sync for EnginePolicy {}

impl EnginePolicy {
    /// Creates the Bloom filter policy (`NewBloomFilterPolicy`) for a format version: FastLocalBloom from version 5 on,
    /// the legacy filter before.
    ///
    /// # Panics
    ///
    /// If the order of virtual functions in this release of the library is unknown.
    pub fn bloom(bits_per_key: f64, format_version: u32) -> Self {
        Self::new(false, bits_per_key, format_version)
    }

    /// Creates the Ribbon filter policy (`NewRibbonFilterPolicy`) for format version 5.
    ///
    /// # Panics
    ///
    /// If the order of virtual functions in this release of the library is unknown.
    pub fn ribbon(bits_per_key: f64) -> Self {
        Self::new(true, bits_per_key, 5)
    }

    fn new(ribbon: bool, bits_per_key: f64, format_version: u32) -> Self {
        let version = version();
        assert!(
            version.starts_with("7.8."),
            "the library is RocksDB {version}, the order of virtual functions is known of 7.8"
        );
        Self {
            // SAFETY: RocksDB accepts any number of bits and any format version.
            policy: unsafe { shim_policy_new(ribbon, bits_per_key, format_version) },
        }
    }

    /// Builds the filter that RocksDB stores for these keys.
    pub fn create_filter<K: AsRef<[u8]>>(&self, keys: &[K]) -> Vec<u8> {
        let keys = EngineSlice::of(keys);
        let mut length = 0;
        // SAFETY: the policy is alive, and `keys.len()` is the number of keys.
        let filter =
            unsafe { shim_policy_create_filter(self.policy, keys.as_ptr(), keys.len(), &raw mut length) };
        // SAFETY: the shim returned `length` bytes.
        let copy = unsafe { slice::from_raw_parts(filter.cast::<u8>(), length) }.to_vec();
        // SAFETY: the shim allocated the bytes for the caller.
        unsafe { shim_free(filter.cast()) };
        copy
    }

    /// Builds a filter of every `size` keys in a C++ loop, and returns the sum of their first bytes.
    ///
    /// # Panics
    ///
    /// If the size is 0.
    pub fn create_filters(&self, keys: &[EngineSlice<'_>], size: usize) -> u64 {
        assert!(size > 0, "filters of no keys have no first byte");
        // SAFETY: the policy is alive, and `keys.len()` is the number of keys.
        unsafe { shim_policy_create_filters(self.policy, keys.as_ptr(), keys.len(), size) }
    }

    /// Creates RocksDB's reader of a filter of any kind, or of any bytes.
    pub fn reader(&self, filter: &[u8]) -> EngineReader {
        EngineReader::new(self, filter)
    }

    /// Writes a table of sorted, distinct keys.
    ///
    /// # Panics
    ///
    /// If RocksDB reports an error; with its message.
    pub fn write_table<K: AsRef<[u8]>>(&self, path: &Path, keys: &[K], form: TableForm) {
        let name = CString::new(path.as_os_str().as_encoded_bytes()).expect("paths have no NUL");
        let keys = EngineSlice::of(keys);
        let partition_bytes = match form {
            TableForm::Full => 0,
            TableForm::Partitioned { bytes } => bytes,
        };
        // SAFETY: the policy is alive, `keys.len()` is the number of keys, and the name ends with a NUL.
        let error = unsafe {
            shim_write_table(
                self.policy,
                name.as_ptr(),
                keys.as_ptr(),
                keys.len(),
                partition_bytes,
            )
        };
        if !error.is_null() {
            // SAFETY: an error is newly allocated text.
            let message = unsafe { taken(error) };
            panic!("RocksDB: {message}");
        }
    }
}

impl Drop for EnginePolicy {
    fn drop(&mut self) {
        // SAFETY: `new` created the policy, and nothing uses it any more.
        unsafe { shim_policy_destroy(self.policy) };
    }
}

/// RocksDB's reader, with a copy of the filter's bytes.
///
/// Zeros follow the copy, because RocksDB reads a whole line even if a Bloom filter is shorter.
pub struct EngineReader {
    reader: *mut RawReader,
    bytes: Vec<u8>,
    len: usize,
}

// SAFETY: RocksDB's readers are not bound to a thread.
unsafe impl Send for EngineReader {}

impl EngineReader {
    /// The longest line that RocksDB reads.
    const SLACK: usize = 256;

    fn new(policy: &EnginePolicy, filter: &[u8]) -> Self {
        let bytes = [filter, &[0; Self::SLACK]].concat();
        Self {
            // SAFETY: `bytes` is longer than `filter`, and its memory does not move with the struct.
            reader: unsafe { shim_reader_new(policy.policy, bytes.as_ptr().cast(), filter.len()) },
            bytes,
            len: filter.len(),
        }
    }

    /// Returns the filter.
    pub fn filter(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Returns true if the filter may hold the key.
    pub fn may_match(&self, key: &[u8]) -> bool {
        self.count_matches(&[key.into()]) == 1
    }

    /// Queries the keys one by one in a C++ loop, and returns how many the filter may hold.
    pub fn count_matches(&self, keys: &[EngineSlice<'_>]) -> u64 {
        // SAFETY: the reader is alive, and `keys.len()` is the number of keys.
        unsafe { shim_reader_count_matches(self.reader, keys.as_ptr(), keys.len()) }
    }

    /// Queries 32 keys per call, as RocksDB does for `MultiGet`, and returns how many the filter may hold.
    pub fn count_matches_in_batches(&self, keys: &[EngineSlice<'_>]) -> u64 {
        // SAFETY: as in `count_matches`.
        unsafe { shim_reader_count_matches_in_batches(self.reader, keys.as_ptr(), keys.len()) }
    }
}

impl Drop for EngineReader {
    fn drop(&mut self) {
        // SAFETY: `new` created the reader, and nothing uses it any more.
        unsafe { shim_reader_destroy(self.reader) };
    }
}
