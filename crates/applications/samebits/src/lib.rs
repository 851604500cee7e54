//! The program `samebits`: [`run`] for the executable and for the command of the Python package; its commands for the
//! fuzz target of `inspect`.
#![forbid(unsafe_code)]

pub mod commands;
mod inspection;
mod program;
mod sizing;

pub use program::run;

/// Runs the example of the repository's front page.
#[cfg(doctest)]
#[doc = include_str!("../../../../README.md")]
struct FrontPage;
