//! Google's LevelDB for the tests and the benchmark of `filter-policy-leveldb`: its own policy called directly,
//! and databases that count their reads.

#[cfg(engine)]
mod ffi;

#[cfg(engine)]
pub use ffi::{Database, Policy, Slices, UniquePtr, slices, version};
