//! The library behind `filters`: inspects the filters in tables of storage engines, calculates the sizes of
//! filters, and builds and asks filters.
#![forbid(unsafe_code)]

pub mod commands;
pub mod inspection;
pub mod keys;
pub mod sizing;

/// Runs the example of the repository's front page.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct FrontPage;
