#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod functions;
mod info;
mod registry;
mod verification;
mod weakness;
mod words;

pub use functions::*;
pub use info::HashInfo;
pub use registry::{all, find};
pub use verification::verification_value;
