//! Code shared by several tests.

/// The folder of the recorded data.
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

#[expect(unreachable_pub, reason = "`filter_tables::testing` has a link to this file")]
#[expect(dead_code, reason = "`filter-formats` has one, too")]
pub(crate) mod golden;
pub(crate) mod reading;
pub(crate) mod recorded;
