//! No kernel touches a byte outside the slices that it is given. A program of its own, since one that does is ended.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod arch;
mod narrow;
#[path = "../all/support/rules.rs"]
#[expect(dead_code, reason = "policies build the filters")]
mod rules;
mod wide;
