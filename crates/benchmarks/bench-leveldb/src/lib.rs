//! Google's LevelDB for the tests and the benchmark of `filter-policy-leveldb`: its own policy called directly,
//! and databases that count their reads.

mod ffi;

pub use ffi::{Database, Policy, Slices, UniquePtr, slices, version};
