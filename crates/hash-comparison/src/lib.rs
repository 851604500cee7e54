#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod commands;
pub mod failure;
pub mod interrupt;
pub mod program;
pub mod table;
pub mod terminal;
