//! The suites, each with its records, comparisons, summary and chart.

pub mod instructions;
pub mod membership;
pub mod point_reads;
pub mod policy;
pub mod rates;
pub mod redis;
