//! Guava's filter, `com.google.common.hash.BloomFilter`, byte for byte: in memory, shared between threads, and as its stream.

#[cfg(target_has_atomic = "64")]
mod concurrent;
mod filter;
mod header;
pub(crate) mod java_math;
pub(crate) mod parameters;
mod serial;
pub(crate) mod shape;
#[cfg(all(feature = "slot", target_has_atomic = "64"))]
mod slot;
mod strategy;

#[cfg(target_has_atomic = "64")]
pub use concurrent::ConcurrentBloomFilter;
pub use filter::BloomFilter;
pub use header::{MAX_PROBE_COUNT, StreamHeader};
pub use parameters::{DEFAULT_RATE, Parameters, ProbeCountRule};
pub(crate) use strategy::Mitz32;
pub use strategy::{Positions, Strategy};
