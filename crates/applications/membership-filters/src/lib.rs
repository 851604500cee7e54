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
pub mod backend;
mod batch;
mod bits;
mod blocked;
mod bloom;
mod contents;
mod counting;
mod cuckoo;
pub mod envelope;
mod error;
mod filter;
pub mod format;
mod funnel;
pub mod guava;
mod hash;
mod java_math;
mod key;
mod key_bytes;
pub mod kinds;
mod modulus;
mod packed;
mod persistence;
mod random;
pub mod redisbloom;
mod rotating;
#[cfg(feature = "serde")]
mod serde;
#[cfg(all(feature = "slot", target_has_atomic = "64"))]
mod slot;
pub mod spark;
mod stats;
mod steps;
mod stored;
mod unrolled;

#[cfg(target_has_atomic = "64")]
pub use blocked::ConcurrentBlockedBloomFilter;
pub use blocked::{BlockedBloomFilter, Parameters};
pub use counting::CountingBloomFilter;
pub use cuckoo::{CuckooFilter, CuckooParameters};
#[cfg(feature = "std")]
pub use error::IoFailure;
pub use error::{Error, Violation};
pub use filter::{Alone, Filter, Shared};
pub use funnel::{Bytes, Funnel, Hashed, Integer, Long, Sequence, Utf8, Utf16Units};
pub use hash::{Encoding, Hash128, HashFunction, HashId, Hashing, Murmur3, Xxph3};
pub use key::{Key, Utf16};
pub use key_bytes::KeyBytes;
pub use modulus::Modulus;
pub use redisbloom::{BloomFilter as RedisBloomFilter, Parameters as RedisBloomParameters};
pub use rotating::{Generations, RotatingFilter};
#[cfg(all(feature = "slot", target_has_atomic = "64"))]
pub use slot::{Rebuild, Slot};
pub use stats::{Load, Stats};
