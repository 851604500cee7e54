//! The real Guava in a child process, for the tests and the benchmark of `guava-bloom`.
#![forbid(unsafe_code)]

mod java;

pub use java::Java;
