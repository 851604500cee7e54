//! The suites, each with its records, comparisons, summary and charts.

pub mod frontier;
pub mod instructions;
pub mod membership;
pub mod point_reads;
pub mod policy;
pub mod rates;
pub mod redis;
