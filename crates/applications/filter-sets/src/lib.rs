// Points the README's file links at modules in the documentation: the first definition of a link counts.
//! [FORMAT.md]: format_page
//!
#![doc = include_str!("../README.md")]

mod build;
mod bytes;
mod changes;
mod contents;
mod error;
mod ffi;
mod file;
mod filled;
mod filter;
mod folder;
mod format;
mod formats;
mod header;
mod key;
mod manifest;
mod merge;
mod set;
mod shard;
mod spill;

pub use build::{Builder, DEFAULT_MEMORY, FileBuilding, MIN_MEMORY, MemoryBuilding, Progress, SetBuilding};
pub use bytes::{Access, Opening};
pub use error::Error;
pub use file::StoredFile;
pub use filter::StoredFilter;
pub use format::{Fill, Size, Sizing, StoredFormat};
pub use header::Header;
pub use key::SetKey;
pub use manifest::{Manifest, SHARD_SEED, ShardFunction};
pub use membership_filters::Load;
pub use merge::{merge, merge_sets};
pub use set::{FilterSet, Generation};
pub use shard::{MANIFEST, MAX_SHARDS, Shard};

#[doc = include_str!("../FORMAT.md")]
pub mod format_page {}
