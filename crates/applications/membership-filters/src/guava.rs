//! Guava's filter, `com.google.common.hash.BloomFilter`, byte for byte: in memory, shared between threads, and as its stream.

mod filter;
mod header;
pub(crate) mod parameters;
mod strategy;

pub use filter::BloomFilter;
#[cfg(target_has_atomic = "64")]
pub use filter::ConcurrentBloomFilter;
pub(crate) use filter::{ENVELOPE, STREAM};
pub use header::StreamHeader;
pub use parameters::{Parameters, ProbeCountRule};
pub use strategy::Strategy;
