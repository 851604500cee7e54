//! The suites: what each measures, and its records, comparisons and tables.

pub mod equal_rate;
pub mod membership;
pub mod point_reads;
pub mod policy;
pub mod ranges;
pub mod rates;
pub mod redis;
