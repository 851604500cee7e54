//! Tests on files that other programs wrote, and on damaged copies of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod checksums;
#[cfg(not(emulated))]
mod corpus;
mod damaged;
mod golden;
#[cfg(target_endian = "little")]
mod pages;
mod reader;
#[path = "../../../filter-tables/tests/support/mod.rs"]
mod support;
mod values;
