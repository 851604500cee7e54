//! Measures hash functions on real key sets and draws the report.
#![forbid(unsafe_code)]

pub mod compare;
pub mod dataset;
pub mod environment;
pub mod functions;
pub mod keys;
pub mod measure;
pub mod names;
pub mod output;
pub mod progress;
pub mod record;
pub mod records;
