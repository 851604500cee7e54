// Redirects the README's link to a file: the first definition of a link counts.
//! [`report`]: report
//!
//! Five types make a comparison:
//!
//! | type | is |
//! |---|---|
//! | [`Comparison`] | the functions and keys to be measured, and the seed |
//! | [`Function`] | a hash function, built in or your own |
//! | [`Request`] | the requirements of a function: its [`Purpose`], and the function in use today |
//! | [`Report`] | the results: printed, written to a folder, or read row by row |
//! | [`Failure`] | why a comparison stopped, and the exit code |
//!
//! The modules below are the parts of the program; what they make public may change with it.
//!
#![doc = include_str!("../README.md")]

pub mod program;

pub mod advice;

pub mod page;

pub mod comparison;

pub mod run;

pub mod report;

pub mod commands;

pub use measuring::{clock, files, functions, keys, name_errors, questions, record};

pub use comparison::Comparison;
pub use functions::Function;
pub use key_input::{Delimiter, KeyForm, KeyKind};
pub use record::{Purpose, Request, Resistance};
pub use report::Report;
/// The reason why a comparison stopped, and its exit code. A `main` that returns it exits with 1.
pub use terminal::failure::Failure;
