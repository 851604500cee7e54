// Points the README's file links at modules in the documentation: the first definition of a link counts.
//! [FORMAT.md]: format
//!
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
#![warn(
    clippy::alloc_instead_of_core,
    clippy::cast_possible_truncation,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core
)]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod blocked;
mod counting;
mod cuckoo;
pub mod format;
mod growing;
mod packed;
mod positions;
mod random;
mod stored;

pub use blocked::{BlockedBloomFilter, BlockedParameters, BlockedStats};
pub use counting::{CounterWidth, CountingBloomFilter, CountingStats};
pub use cuckoo::{CuckooFilter, CuckooParameters, CuckooStats};
/// Funnels, hashes, parameters and the plain filter, which the filters here accept and return.
pub use guava_bloom;
#[cfg(all(feature = "slot", target_has_atomic = "64"))]
pub use guava_bloom::Slot;
pub use guava_bloom::{Error, ErrorKind, Xxph3};

pub use growing::{GrowingBloomFilter, GrowingParameters, GrowingStats, GrowthRule, LinkStats};
