//! Measures hash functions on real key sets and draws the report.
#![forbid(unsafe_code)]

pub mod baseline;
pub mod benchmark;
pub mod calibration;
mod chart;
pub mod compare;
pub mod dataset;
pub mod environment;
pub mod findings;
pub mod functions;
pub mod instructions;
pub mod keys;
pub mod measure;
pub mod membership;
pub mod memory;
pub mod names;
pub mod output;
pub mod point_reads;
pub mod policy;
pub mod progress;
#[cfg(test)]
mod property;
pub mod published;
pub mod quality;
pub mod rates;
pub mod recommend;
pub mod record;
pub mod records;
pub mod redis;
pub mod render;
mod report;
pub mod reproduce;
pub mod sizing;
pub mod stats;
pub mod structure;
mod system;
pub mod thousands;
pub mod which;
