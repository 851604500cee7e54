//! The real Guava in a child process, for the tests and the benchmark of `membership-filters`.
#![forbid(unsafe_code)]

mod java;

pub use java::Java;
