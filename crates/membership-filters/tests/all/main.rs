//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod blocked;
mod counting;
mod cuckoo;
mod damaged;
mod format;
mod growing;
mod properties;
mod sizes;
mod stored;
mod support;
mod xxph3;
