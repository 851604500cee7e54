//! Code shared by several tests.

/// The folder of the recorded data.
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

pub(crate) mod any_bytes;
#[expect(unreachable_pub, reason = "`filter_tables::testing` has a link to this file")]
pub(crate) mod golden;
pub(crate) mod hashers;
pub(crate) mod layouts;
pub(crate) mod random;
pub(crate) mod ways;
pub(crate) mod which_policy;
