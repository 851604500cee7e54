//! Code shared by several tests. Links lead to what the tests of the crates below have.

pub(crate) mod data;
pub(crate) mod entries;
pub(crate) mod keys;
pub(crate) mod rows;
pub(crate) mod sst_file;
pub(crate) mod table_file;

pub(crate) use keys::key;
pub(crate) use rows::{rows, unhex};
