//! This crate has what programs share on a terminal: failures and exit codes, numbers as text, tables, progress
//! and Ctrl-C.
#![forbid(unsafe_code)]

pub mod bar;
pub mod failure;
pub mod interrupt;
pub mod layout;
pub mod number;
pub mod progress;
pub mod system;
