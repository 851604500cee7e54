//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod databases;
mod filters;
mod foreign_filters;
mod ids;
mod source;
mod support;
