//! Code shared by several tests.

pub(crate) mod hex;
pub(crate) mod number;
