// The README's links to files, for readers of the documentation: the first definition of a link counts.
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

mod counting;
mod cuckoo;
mod error;
pub mod format;
mod growing;
mod limits;
mod packed;
mod positions;
mod random;
mod serial;

pub use counting::{AllNonzero, CounterWidth, CountingBloomFilter, CountingStats, MergeError};
pub use cuckoo::{CuckooFilter, CuckooParameters, CuckooStats};
pub use error::{BuildError, InsertError, ReadError};
/// Funnels, hashes, parameters and the plain filter: what the filters here take and give.
pub use guava_bloom;

pub use growing::{GrowingBloomFilter, GrowingParameters, GrowingStats, GrowthRule, LinkStats};
