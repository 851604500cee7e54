// Redirects the README's link to a file: the first definition of a link counts.
//! [FORMAT.md]: format
//!
#![doc = include_str!("../README.md")]
#![no_std]
#![warn(
    clippy::alloc_instead_of_core,
    clippy::cast_possible_truncation,
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
mod blocked;
mod counting;
mod cuckoo;
pub mod envelope;
mod error;
mod form;
pub mod format;
mod funnel;
pub mod guava;
mod hash;
mod modulus;
mod packed;
mod random;
mod redisbloom;
mod sink;
#[cfg(all(feature = "slot", target_has_atomic = "64"))]
mod slot;
pub mod spark;
mod stats;
mod stored;
mod unrolled;

pub use bits::MAX_WORD_COUNT;
pub use blocked::{BlockedBloomFilter, BlockedParameters};
pub use counting::CountingBloomFilter;
pub use cuckoo::{CuckooFilter, CuckooParameters};
pub use error::{Error, ErrorKind};
pub use funnel::{
    Bytes, Funnel, Hashed, Hashing, Integer, Long, Sequence, TakeSlice, Utf8, Utf16, Utf16Units,
};
#[cfg(target_has_atomic = "64")]
pub use guava::ConcurrentBloomFilter;
pub use guava::{
    BloomFilter, DEFAULT_RATE, MAX_PROBE_COUNT, Parameters, Positions, ProbeCountRule, Strategy, StreamHeader,
};
pub use hash::{Encoding, Hash128, HashFunction, HashId, Murmur3, Xxph3};
pub use modulus::Modulus;
pub use redisbloom::{
    RedisBloomFilter, RedisBloomHash, RedisBloomLink, RedisBloomParameters, RedisBloomStats,
};
pub use sink::Sink;
#[cfg(all(feature = "slot", target_has_atomic = "64"))]
pub use slot::{Outcome, Rebuild, Slot};
pub use stats::Stats;
/// Needs the feature `save`.
#[cfg(feature = "save")]
pub use whole_files::save;
