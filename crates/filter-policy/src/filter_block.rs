//! LevelDB's filter block: the filters of all data blocks of a table, followed by the filters' offsets.
//!
//! Filters are opaque bytes here; only the policy interprets them. See [`format`](crate::format) for the layout.

#[cfg(feature = "alloc")]
mod builder;
mod reader;

#[cfg(feature = "alloc")]
pub use builder::FilterBlockBuilder;
pub use reader::{FilterBlockDamage, FilterBlockReader, StoredFilter};
