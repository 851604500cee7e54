// Points the README's file links at modules in the documentation: the first definition of a link counts.
//! [FORMAT.md]: format_page
//!
#![doc = include_str!("../README.md")]

mod build;
mod elements;
mod error;
mod ffi;
mod filling;
mod filter;
mod folder;
mod format;
mod journal;
mod manifest;
mod merge;
mod outline;
mod set;
mod spill;

pub use build::{Builder, Building, DEFAULT_MEMORY, MIN_MEMORY, Progress};
pub use error::{Error, ErrorKind};
/// The part of a stored filter that answers for a key; see [`Outline`].
pub use filter_formats::view::places::Places;

pub use filter::{Access, Filter, merge};
pub use folder::save;
pub use format::{Format, Size};
pub use manifest::{MANIFEST, MAX_SHARDS, Manifest, SHARD_SEED, Shard, ShardFunction};
pub use merge::merge_sets;
pub use outline::{ENDS, Outline};
pub use set::{FilterSet, Generation, Opening};

#[doc = include_str!("../FORMAT.md")]
pub mod format_page {}
