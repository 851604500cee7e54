#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
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

mod bits;
mod error;
mod filter;
mod funnel;
mod hash;
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
