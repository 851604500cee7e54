//! Code and data shared by the tests of stored filters.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::missing_panics_doc, reason = "a test that cannot go on has failed")]

/// The folder of the recorded data.
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../filter-formats/tests/data");

pub mod golden;
pub mod readers;
pub mod tables;
