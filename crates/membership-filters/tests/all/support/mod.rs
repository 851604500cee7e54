//! Code shared by several tests.

pub(crate) mod hashes;
pub(crate) mod rates;
pub(crate) mod samples;
