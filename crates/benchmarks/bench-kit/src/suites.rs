//! The suites, each with its records, comparisons and summary.

pub mod membership;
pub mod point_reads;
pub mod policy;
pub mod rates;
pub mod redis;
