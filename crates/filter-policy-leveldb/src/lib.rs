#![doc = include_str!("../README.md")]
#![warn(clippy::cast_possible_truncation, clippy::indexing_slicing)]

mod error;
pub mod ffi;
mod policy;

pub use error::Error;
pub use ffi::Callbacks;
#[cfg(feature = "leveldb")]
pub use ffi::{Database, DatabaseOptions, LevelDbPolicy};
pub use policy::{HASH_LEVELDB, HASH_MURMUR2};
