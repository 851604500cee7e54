//! Engines for the tests of this package and for benchmarks: LevelDB and RocksDB in C++, and an environment of
//! rusty-leveldb that counts reads.

mod counting_env;

pub use counting_env::CountingEnv;

/// Google's LevelDB: its own policy called directly, and databases that count their reads.
#[cfg(feature = "leveldb")]
pub mod leveldb {
    mod ffi;

    pub use ffi::{Database, Policy, Slices, UniquePtr, slices, version};
}

/// Facebook's RocksDB: direct access to its filters, and tables that it writes.
#[cfg(feature = "rocksdb")]
pub mod rocksdb {
    mod ffi;

    pub use ffi::{Policy, Reader, Slices, UniquePtr, slices, version};
}
