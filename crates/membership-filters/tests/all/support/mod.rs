//! What several of the tests share.

pub(crate) mod hashes;
pub(crate) mod hex;
pub(crate) mod rates;
pub(crate) mod samples;
