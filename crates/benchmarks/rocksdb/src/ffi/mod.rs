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

/// The version of RocksDB's library, such as `7.8.3`.
pub fn version() -> String {
    // SAFETY: the shim gives text of its own.
    unsafe { taken(shim_version()) }
}

/// Text of the shim's, which is freed.
///
/// # Safety
///
/// The pointer is that of malloc'ed text with a NUL behind it, which nobody else frees.
unsafe fn taken(text: *mut c_char) -> String {
    // SAFETY: as the caller promises.
    let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    // SAFETY: likewise.
    unsafe { shim_free(text.cast()) };
    copy
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableForm {
    /// One filter for all keys.
    Full,
    /// A filter, and a part of the index, for every so many bytes of the latter.
    Partitioned {
        /// RocksDB's `metadata_block_size`.
        bytes: u64,
    },
}

/// One of RocksDB's own policies.
pub struct EnginePolicy {
    policy: *mut RawPolicy,
}

// SAFETY: RocksDB calls its policies from any thread.
unsafe impl Send for EnginePolicy {}
// SAFETY: as above; what the shim keeps beside the policy is only read.
unsafe impl Sync for EnginePolicy {}

impl EnginePolicy {
    /// The Bloom filter policy (`NewBloomFilterPolicy`), for tables of this format version: FastLocalBloom from 5 on,
    /// before that the legacy filter.
    ///
    /// # Panics
    ///
    /// If the library is not of the release whose order of virtual functions is known.
    pub fn bloom(bits_per_key: f64, format_version: u32) -> Self {
        Self::new(false, bits_per_key, format_version)
    }

    /// The Ribbon filter policy (`NewRibbonFilterPolicy`), of format version 5.
    ///
    /// # Panics
    ///
    /// If the library is not of the release whose order of virtual functions is known.
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
            // SAFETY: RocksDB takes any number of bits, and format versions are numbers to it here.
            policy: unsafe { shim_policy_new(ribbon, bits_per_key, format_version) },
        }
    }

    /// What RocksDB stores for these keys.
    pub fn create_filter<K: AsRef<[u8]>>(&self, keys: &[K]) -> Vec<u8> {
        let keys = EngineSlice::of(keys);
        let mut length = 0;
        // SAFETY: the policy is alive, and there are so many keys.
        let filter =
            unsafe { shim_policy_create_filter(self.policy, keys.as_ptr(), keys.len(), &raw mut length) };
        // SAFETY: the shim gives so many bytes.
        let copy = unsafe { slice::from_raw_parts(filter.cast::<u8>(), length) }.to_vec();
        // SAFETY: the shim allocated them for us.
        unsafe { shim_free(filter.cast()) };
        copy
    }

    /// Builds a filter of every `size` keys, in a loop in C++, and gives the sum of their first bytes.
    ///
    /// # Panics
    ///
    /// If the size is 0.
    pub fn create_filters(&self, keys: &[EngineSlice<'_>], size: usize) -> u64 {
        assert!(size > 0, "filters of no keys have no first byte");
        // SAFETY: the policy is alive, and there are so many keys.
        unsafe { shim_policy_create_filters(self.policy, keys.as_ptr(), keys.len(), size) }
    }

    /// RocksDB's reader of a filter of any kind, or of any bytes.
    pub fn reader(&self, filter: &[u8]) -> EngineReader {
        EngineReader::new(self, filter)
    }

    /// Writes a table of these keys, which are sorted and different.
    ///
    /// # Panics
    ///
    /// With RocksDB's message where it reports an error.
    pub fn write_table<K: AsRef<[u8]>>(&self, path: &Path, keys: &[K], form: TableForm) {
        let name = CString::new(path.as_os_str().as_encoded_bytes()).expect("paths have no NUL");
        let keys = EngineSlice::of(keys);
        let partition_bytes = match form {
            TableForm::Full => 0,
            TableForm::Partitioned { bytes } => bytes,
        };
        // SAFETY: the policy is alive, there are so many keys, and the name ends with a NUL.
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
            // SAFETY: an error is text for us.
            let message = unsafe { taken(error) };
            panic!("RocksDB: {message}");
        }
    }
}

impl Drop for EnginePolicy {
    fn drop(&mut self) {
        // SAFETY: `new` made it, and nobody uses it any more.
        unsafe { shim_policy_destroy(self.policy) };
    }
}

/// RocksDB's reader, with a copy of the bytes that it reads.
///
/// Zeros lie behind them: where a Bloom filter is shorter than its first line, RocksDB reads the whole line all the
/// same.
pub struct EngineReader {
    reader: *mut RawReader,
    bytes: Vec<u8>,
    len: usize,
}

// SAFETY: RocksDB's readers are bound to no thread.
unsafe impl Send for EngineReader {}

impl EngineReader {
    /// The longest line that RocksDB reads in one piece.
    const SLACK: usize = 256;

    fn new(policy: &EnginePolicy, filter: &[u8]) -> Self {
        let bytes = [filter, &[0; Self::SLACK]].concat();
        Self {
            // SAFETY: there are so many bytes and more, and they move with this, not in memory.
            reader: unsafe { shim_reader_new(policy.policy, bytes.as_ptr().cast(), filter.len()) },
            bytes,
            len: filter.len(),
        }
    }

    /// The filter that is read.
    pub fn filter(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Whether the filter may hold the key.
    pub fn may_match(&self, key: &[u8]) -> bool {
        self.count_matches(&[key.into()]) == 1
    }

    /// How many of the keys the filter may hold, asked one by one in a loop in C++.
    pub fn count_matches(&self, keys: &[EngineSlice<'_>]) -> u64 {
        // SAFETY: the reader is alive, and there are so many keys.
        unsafe { shim_reader_count_matches(self.reader, keys.as_ptr(), keys.len()) }
    }

    /// The same, asked 32 keys in a call, as RocksDB does for `MultiGet`.
    pub fn count_matches_in_batches(&self, keys: &[EngineSlice<'_>]) -> u64 {
        // SAFETY: as in `count_matches`.
        unsafe { shim_reader_count_matches_in_batches(self.reader, keys.as_ptr(), keys.len()) }
    }
}

impl Drop for EngineReader {
    fn drop(&mut self) {
        // SAFETY: `new` made it, and nobody uses it any more.
        unsafe { shim_reader_destroy(self.reader) };
    }
}
