//! Values that other programs computed: everything in `tests/data`.

#![expect(
    clippy::unwrap_used,
    reason = "damaged test data must fail the test that reads them"
)]

mod data;
mod engines;
mod vectors;
