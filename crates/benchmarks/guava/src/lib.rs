//! The real Guava in a child process, for the tests and the benchmark of `guava-bloom`.
#![forbid(unsafe_code)]

mod java;
mod wire;

pub use java::{Java, JavaError};
pub use wire::{Reply, Request};
