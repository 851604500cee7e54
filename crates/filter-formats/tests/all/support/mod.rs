//! Code shared by several tests.

pub(crate) mod any_bytes;
pub(crate) mod data;
pub(crate) mod expectation;
pub(crate) mod keys;
pub(crate) mod rows;
pub(crate) mod rules;
pub(crate) mod ways;
pub(crate) mod which_policy;
pub(crate) mod wide_filters;

pub(crate) use keys::key;
pub(crate) use rows::{rows, unhex};
