//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod corpus;
mod golden_sst;
mod golden_tables;
mod sst;
mod support;
mod table;
mod table_limits;
