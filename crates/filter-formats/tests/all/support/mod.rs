//! Code shared by several tests.

pub(crate) mod any_bytes;
pub(crate) mod data;
pub(crate) mod expectation;
pub(crate) mod keys;
pub(crate) mod layouts;
pub(crate) mod random;
pub(crate) mod rows;
pub(crate) mod ways;
pub(crate) mod which_policy;

pub(crate) use keys::key;
pub(crate) use rows::{rows, unhex};
