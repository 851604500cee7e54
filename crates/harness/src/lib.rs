//! Measures hash functions on real key sets and draws the report.
#![forbid(unsafe_code)]

pub mod dataset;
pub mod findings;
pub mod functions;
pub mod keys;
pub mod measure;
pub mod names;
pub mod record;
pub mod records;
pub mod stats;
