//! One program for all tests, since each links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod database;
mod databases;
mod filters;
mod foreign_filters;
mod programs;
mod support;
