//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod databases;
mod filters;
mod foreign_filters;
mod source;
mod support;

use engine_tests::leveldb::{Policy, slices};

/// Queries a filter, called as in LevelDB.
fn may_match(policy: &Policy, key: &[u8], filter: &[u8]) -> bool {
    policy.count_matches(&slices(&[key]), filter) == 1
}
