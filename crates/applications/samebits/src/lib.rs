//! The commands of the program `samebits`, for the program and for the fuzz target of `inspect`.
#![forbid(unsafe_code)]

pub mod commands;
mod inspection;
mod sizing;

/// Runs the example of the repository's front page.
#[cfg(doctest)]
#[doc = include_str!("../../../../README.md")]
struct FrontPage;
