// Points the README's file links at modules in the documentation: the first definition of a link counts.
//! [FORMAT.md]: format
//! [THEORY.md]: theory
//! [WHICH.md]: which
//!
#![cfg_attr(feature = "alloc", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "alloc"),
    doc = "Stored filters of RocksDB, Parquet and others, without an allocator. `README.md` introduces them."
)]
#![no_std]
#![forbid(unsafe_code)]
#![warn(
    clippy::alloc_instead_of_core,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core
)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod error;

// The layouts: what is known of each is in its file or folder, and `policies::ALL` has the policies of all.
mod basho;
mod bloom64;
mod fuse;
mod leveldb;
pub mod parquet;
pub mod rocksdb;

#[cfg(feature = "alloc")]
pub mod budget;
pub mod format;
#[cfg(feature = "alloc")]
pub mod policies;
pub mod sizing;
pub mod theory;
pub mod view;
pub mod which;

pub use basho::{Basho, BashoFilterPolicy, BashoTablePolicy};
pub use bloom64::{Bloom64, BloomFilter64Policy};
pub use error::Error;
pub use fuse::{BinaryFuse, BinaryFusePolicy};
pub use view::EngineFormat;
