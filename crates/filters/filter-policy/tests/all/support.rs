//! Code shared by several tests.

/// The folder of the recorded data.
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

pub(crate) mod any_bytes;
pub(crate) mod formats;
#[expect(unreachable_pub, reason = "`filter_tables::testing` has a link to this file")]
pub(crate) mod golden;
pub(crate) mod list;
pub(crate) mod random;
pub(crate) mod reading;
pub(crate) mod recorded;
pub(crate) mod ways;
