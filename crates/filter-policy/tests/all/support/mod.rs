//! Code shared by several tests.

pub(crate) mod reading;
