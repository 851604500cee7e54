//! The hash functions that kernels compute, many keys at a time.

pub(crate) mod groups;
mod lanes32;
pub(crate) mod tile;
pub(crate) mod xxh64;
pub(crate) mod xxph3;
