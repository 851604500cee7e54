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
mod growing;
mod packed;
mod positions;
mod random;
mod serial;

pub use counting::{AllNonzero, CounterWidth, CountingBloomFilter, CountingStats, MergeError};
pub use cuckoo::{CuckooFilter, CuckooParameters, CuckooStats, InsertError};
pub use error::{BuildError, ReadError};
pub use growing::{GrowingBloomFilter, GrowingParameters, GrowingStats, GrowthRule, LinkStats};
