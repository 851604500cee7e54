//! Code shared by several tests.

pub(crate) mod example;
pub(crate) mod hex;
pub(crate) mod number;
