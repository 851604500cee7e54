//! LevelDB's filter block: the filters of all data blocks of a table, followed by the filters' offsets.
//!
//! Filters are opaque bytes here; only the policy interprets them. `FORMAT.md` of the crate `filter-formats` describes the layout.

#[cfg(feature = "alloc")]
mod builder;
mod reader;

#[cfg(feature = "alloc")]
pub use builder::FilterBlockBuilder;
pub use reader::{FilterBlockDamage, FilterBlockReader, StoredFilter};
