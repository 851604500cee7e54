//! Facebook's RocksDB for the tests and the benchmark of `filter-policy`: direct access to its filters, and tables
//! written by it.

mod ffi;

pub use ffi::{Policy, Reader, Slices, UniquePtr, slices, version};
