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
mod batch;
mod bits;
mod error;
mod filter;
pub mod format;
mod funnel;
mod hash;
mod java_math;
mod modulus;
mod parameters;
mod serial;
mod strategy;

pub use error::{Incompatible, ParameterError, ReadError, Saturated};
pub use filter::BloomFilter;
pub use funnel::{Bytes, Funnel, Integer, Long, Sequence, Sink, Utf8, Utf16, Utf16Units};
pub use hash::Hash128;
pub use modulus::Modulus;
pub use parameters::{DEFAULT_FPP, InsertionCount, MAX_PROBES, MAX_WORDS, Parameters, ProbeCountRule};
pub use serial::StreamHeader;
pub use strategy::{Positions, Strategy};
