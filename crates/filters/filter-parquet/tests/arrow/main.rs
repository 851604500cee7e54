//! Compares files and filters with those of arrow-rs.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod added;
mod files;
mod filters;
