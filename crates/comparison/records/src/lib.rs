//! Parts that the programs share: numbers as text, tables for the terminal and exit codes; with the feature `runs` also the
//! records of a run, its folder, its machine and its progress.
#![forbid(unsafe_code)]

pub mod failure;
pub mod lines;
pub mod number;
pub mod terminal;

#[cfg(feature = "runs")]
pub mod bar;
#[cfg(feature = "runs")]
pub mod document;
#[cfg(feature = "runs")]
pub mod environment;
#[cfg(feature = "runs")]
pub mod error;
#[cfg(feature = "runs")]
pub mod folder;
#[cfg(feature = "runs")]
pub mod interrupt;
#[cfg(feature = "runs")]
pub mod progress;
#[cfg(feature = "runs")]
pub mod system;
#[cfg(feature = "runs")]
pub mod table;
