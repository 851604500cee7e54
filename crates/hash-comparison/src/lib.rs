#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod names;
#[cfg(test)]
mod property;

pub mod record;

pub mod keys;

pub mod functions;

pub mod measure;

pub mod judge;

pub mod report;

pub mod run;

pub mod commands;
pub mod program;
