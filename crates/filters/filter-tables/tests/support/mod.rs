//! Recorded data, and writers of small tables: tests of several crates include this file.
#![allow(dead_code, reason = "each crate uses some of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

/// The folder of the recorded data, from the folder of the crate that is tested.
const DATA: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../filters/filter-policy/tests/data"
);

#[path = "../../../filter-policy/tests/all/support/golden.rs"]
pub(crate) mod golden;
pub(crate) mod tables;
