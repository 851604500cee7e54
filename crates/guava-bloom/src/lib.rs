// Redirects the README's link to a file: the first definition of a link counts.
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
pub mod envelope;
mod error;
mod filter;
mod form;
pub mod format;
mod funnel;
mod hash;
mod header;
mod java_math;
mod modulus;
mod parameters;
#[cfg(feature = "save")]
mod save;
mod serial;
mod shape;
mod sink;
#[cfg(all(feature = "slot", target_has_atomic = "64"))]
mod slot;
pub mod spark;
mod strategy;
mod unrolled;

#[cfg(target_has_atomic = "64")]
pub use concurrent::{AnyFilter, ConcurrentBloomFilter};
pub use error::{Error, ErrorKind};
pub use filter::BloomFilter;
pub use funnel::{
    Bytes, Funnel, Hashed, Hashing, Integer, Long, Sequence, TakeSlice, Utf8, Utf16, Utf16Units,
};
pub use hash::{Encoding, Hash128, HashFunction, HashId, Murmur3, Xxph3};
pub use header::{MAX_PROBE_COUNT, MAX_WORD_COUNT, StreamHeader};
pub use modulus::Modulus;
pub use parameters::{DEFAULT_FALSE_POSITIVE_RATE, Parameters, ProbeCountRule};
#[cfg(feature = "save")]
pub use save::save;
pub use sink::Sink;
#[cfg(all(feature = "slot", target_has_atomic = "64"))]
pub use slot::{Outcome, Rebuild, Slot};
pub use strategy::{Positions, Strategy};
