//! Tests all values in `tests/data`, which other programs computed.

#![expect(
    clippy::unwrap_used,
    reason = "damaged test data must fail the test that reads them"
)]

mod data;
mod engines;
mod vectors;
