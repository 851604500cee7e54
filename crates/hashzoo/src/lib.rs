//! Classic string hash functions, exactly defined.
#![no_std]
#![forbid(unsafe_code)]

mod functions;
mod info;

pub use functions::*;
pub use info::HashInfo;
