//! The hash functions that kernels compute, many keys at a time.

pub(crate) mod groups;
mod lanes32;
pub(crate) mod tile;
pub(crate) mod xxh64;
pub(crate) mod xxph3;

/// xxHash's primes that both of its functions use.
const PRIME64_1: u64 = 0x9e37_79b1_85eb_ca87;
const PRIME64_3: u64 = 0x1656_67b1_9e37_79f9;
