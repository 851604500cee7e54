//! All tests in one program, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod damage;
mod database;
mod foreign;
mod support;
