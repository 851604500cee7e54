//! Shared by the golden tests: reading the data files and making the keys that they are about.

pub(crate) mod data;
mod keys;
mod rows;

pub(crate) use keys::key;
pub(crate) use rows::{rows, unhex};
