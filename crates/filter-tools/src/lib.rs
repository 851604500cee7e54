//! The library behind `filters`: inspects the filters in tables of storage engines, and calculates the sizes of
//! filters.
#![forbid(unsafe_code)]

pub mod commands;
pub mod failure;
pub mod inspection;
pub mod sizing;
pub mod table;

/// Runs the example of the repository's front page.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct FrontPage;
