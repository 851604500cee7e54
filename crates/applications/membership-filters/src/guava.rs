//! Guava's filter, `com.google.common.hash.BloomFilter`, byte for byte: in memory, shared between threads, and as its stream.

#[cfg(target_has_atomic = "64")]
mod concurrent;
mod filter;
mod header;
pub(crate) mod parameters;
mod serial;
mod shape;
mod strategy;

pub use crate::bits::MAX_WORD_COUNT;
#[cfg(target_has_atomic = "64")]
pub use concurrent::ConcurrentBloomFilter;
pub use filter::BloomFilter;
pub use header::{MAX_PROBE_COUNT, StreamHeader};
pub use parameters::{DEFAULT_RATE, Parameters, ProbeCountRule};
pub use strategy::Strategy;
