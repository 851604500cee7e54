#![doc = include_str!("../README.md")]
#![no_std]
#![allow(private_bounds, reason = "the kernels' own part of `StoredBits`")]
#![expect(
    unsafe_code,
    reason = "instructions that not every processor has, loads of parts of vectors, and bounds that were checked before"
)]
#![warn(
    clippy::alloc_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core
)]
// Lanes are compiled for every processor, so that no change breaks them unnoticed, but only used where they have
// instructions.
#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        unused_variables,
        reason = "no instructions for lanes, or none for those of 64 bits"
    )
)]

#[cfg(any(test, feature = "std"))]
extern crate std;

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod aarch64;
mod bits;
pub mod bloom64;
mod choose;
mod compile;
mod door;
pub mod fast_local;
pub mod fuse;
mod hash;
mod kernel;
mod keys;
mod lanes;
pub mod leveldb;
mod modulus;
pub mod ribbon;
mod source;
pub mod split_block;
#[cfg(test)]
mod tests;
mod tiles;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use bits::MAX_PROBES;
pub use choose::KernelToken;
pub use compile::Lookup;
pub use door::{KeyQuery, StoredBits, key_may_match};
pub use kernel::{Allowed, Kernel};
pub use keys::{Keys, PackedKeys};
pub use source::{LaneHash, LaneSource, Source};
