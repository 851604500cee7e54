// The README's link to a file, for readers of the documentation: the first definition of a link counts.
//! [FORMAT.md]: format
//!
#![doc = include_str!("../README.md")]
#![no_std]
#![warn(
    clippy::alloc_instead_of_core,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core
)]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod arch;
#[cfg(target_has_atomic = "64")]
mod atomic_bits;
mod batch;
mod bits;
#[cfg(target_has_atomic = "64")]
mod concurrent;
mod error;
mod filter;
pub mod format;
mod funnel;
mod hash;
mod header;
mod java_math;
#[cfg(feature = "std")]
mod merge;
mod modulus;
#[cfg(all(feature = "rayon", target_has_atomic = "64"))]
mod parallel;
mod parameters;
mod serial;
mod shape;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
mod slot;
mod strategy;
mod unrolled;

#[cfg(target_has_atomic = "64")]
pub use concurrent::{AnyFilter, ConcurrentBloomFilter};
pub use error::{Incompatible, ParameterError, ReadError, Saturated};
pub use filter::BloomFilter;
pub use funnel::{Bytes, Funnel, Integer, Long, Sequence, Sink, Utf8, Utf16, Utf16Units};
pub use hash::Hash128;
pub use header::{MAX_PROBES, MAX_WORDS, StreamHeader};
#[cfg(feature = "std")]
pub use merge::{MergeError, merge_streams};
pub use modulus::Modulus;
#[cfg(all(feature = "rayon", target_has_atomic = "64"))]
pub use parallel::CollectBloomFilter;
pub use parameters::{DEFAULT_FPP, InsertionCount, Parameters, ProbeCountRule};
#[cfg(all(feature = "std", target_has_atomic = "64"))]
pub use slot::{Rebuild, RebuildUnderWay, Slot};
pub use strategy::{Positions, Strategy};
