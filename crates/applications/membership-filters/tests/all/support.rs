//! Code shared by several tests.

pub(crate) mod hashes;
pub(crate) mod salted;
pub(crate) mod samples;
