//! RocksDB in C++, see `shim.h`.
#![expect(unsafe_code, reason = "RocksDB is written in C++")]
#![expect(unreachable_pub, reason = "cxx declares functions so")]

pub use cxx::UniquePtr;

pub use self::bridge::{Policy, Reader, Slices, version};

#[cxx::bridge(namespace = "rocksdb_shim")]
mod bridge {
    // SAFETY: the functions keep Rust's rules about references, as cxx requires. They take any values, or end the program.
    unsafe extern "C++" {
        include!("engine-tests/src/rocksdb/ffi/shim.h");

        /// Returns the version of RocksDB's library, such as `7.8.3`.
        fn version() -> String;

        /// Keys as RocksDB takes them.
        type Slices<'a>;
        /// Returns no keys.
        fn empty() -> UniquePtr<Slices<'static>>;
        /// Adds a key.
        fn push<'a>(slices: Pin<&mut Slices<'a>>, key: &'a [u8]);

        /// One of RocksDB's own policies.
        type Policy;
        /// Creates the Bloom filter policy (`NewBloomFilterPolicy`) for a format version: FastLocalBloom from version 5
        /// on, the legacy filter before. Ends the program if the order of virtual functions in this release of the
        /// library is unknown.
        #[Self = "Policy"]
        fn bloom(bits_per_key: f64, format_version: u32) -> UniquePtr<Policy>;
        /// Creates the Ribbon filter policy (`NewRibbonFilterPolicy`) for format version 5.
        #[Self = "Policy"]
        fn ribbon(bits_per_key: f64) -> UniquePtr<Policy>;
        /// Builds the filter that RocksDB stores for these keys.
        fn create_filter(self: &Policy, keys: &Slices<'_>) -> Vec<u8>;
        /// Builds a filter of every `size` keys, which is not 0, in a loop, and returns their bytes.
        fn create_filters(self: &Policy, keys: &Slices<'_>, size: usize) -> u64;
        /// Creates RocksDB's reader of a filter of any kind, or of any bytes but those beyond which it would read: a
        /// FastLocalBloom filter shorter than a line, and a legacy filter whose number of lines times 64 is its length
        /// only modulo 2^32.
        fn reader(self: &Policy, filter: &[u8]) -> Result<UniquePtr<Reader>>;
        /// Writes a table of sorted, distinct keys, with one filter for all keys, or if `partition_bytes` is not 0 with
        /// partitions that have a filter each and a part of the index of so many bytes.
        fn write_table(self: &Policy, path: &str, keys: &Slices<'_>, partition_bytes: u64) -> Result<()>;

        /// RocksDB's reader, with a copy of the filter's bytes.
        type Reader;
        /// Queries the keys one by one in a loop, and returns how many the filter may hold.
        fn count_matches(self: &Reader, keys: &Slices<'_>) -> u64;
        /// Queries 32 keys per call, as RocksDB does for `MultiGet`, and returns how many the filter may hold.
        fn count_matches_in_batches(self: &Reader, keys: &Slices<'_>) -> u64;
    }
}

/// Converts keys for RocksDB.
pub fn slices<K: AsRef<[u8]>>(keys: &[K]) -> UniquePtr<Slices<'_>> {
    let mut slices = bridge::empty();
    keys.iter()
        .for_each(|key| bridge::push(slices.pin_mut(), key.as_ref()));
    slices
}
