#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod error;
pub mod names;
pub mod progress;
#[cfg(test)]
mod property;
mod system;

pub mod record;

pub mod keys;

pub mod functions;

pub mod measure;

pub mod judge;

pub mod report;

pub mod run;

pub mod commands;
pub mod interrupt;
pub mod program;
pub mod terminal;
