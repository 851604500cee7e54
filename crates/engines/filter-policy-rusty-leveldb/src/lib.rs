#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod check;
mod error;
mod metaindex;
mod policy;

pub use check::{check, checked_open};
pub use error::Error;
pub use policy::RustyLevelDbPolicy;
