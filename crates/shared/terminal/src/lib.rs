#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod bar;
pub mod failure;
pub mod interrupt;
pub mod layout;
pub mod number;
pub mod progress;
pub mod system;
