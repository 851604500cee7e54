//! Code and data for the tests of stored filters: recorded filters and tables, writers of small tables and manifests, and
//! the readers that are fuzzed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::missing_panics_doc, reason = "a test that cannot go on has failed")]
#![expect(clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

/// The folder of the recorded data.
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../filter-policy/tests/data");

pub mod golden;
pub mod manifests;
pub mod readers;
pub mod tables;
