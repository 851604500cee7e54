//! Measures hash functions on real key sets and draws the report.
#![forbid(unsafe_code)]

mod chart;
pub mod dataset;
pub mod functions;
pub mod keys;
pub mod published;
pub mod record;
pub mod records;
pub mod render;
mod report;
