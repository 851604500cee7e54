//! Facebook's RocksDB for the tests and the benchmark of `filter-policy`: its own filters built and asked directly, and
//! tables written by it.

#[cfg(engine)]
mod ffi;

#[cfg(engine)]
pub use ffi::{EnginePolicy, EngineReader, TableForm, version};
