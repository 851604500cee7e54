#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod names;
pub mod program;
#[cfg(test)]
mod property;

pub mod record;

pub mod keys;

pub mod functions;

mod chance;
mod vocabulary;
mod words;

pub mod values;

pub mod clock;

pub mod questions;

pub mod advice;

pub mod page;

pub mod run;

pub mod commands;

pub use commands::compare::compare;
pub use functions::Function;
pub use record::Resistance;
/// The reason why a comparison stopped, and its exit code.
pub use records::failure::Failure;
pub use run::compare::Options;
