//! Code shared by several tests.

/// The folder of the recorded data.
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

pub(crate) mod golden;
pub(crate) mod keys;
pub(crate) mod recorded;
