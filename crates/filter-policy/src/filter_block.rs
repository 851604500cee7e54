//! LevelDB's filter block: the filters of all data blocks of a table, and where each of them lies.
//!
//! Filters are bytes here; what is in them is the policy's alone. [`format`](crate::format) has the layout.

#[cfg(feature = "alloc")]
mod builder;
mod reader;

#[cfg(feature = "alloc")]
pub use builder::FilterBlockBuilder;
pub use reader::{FilterBlockDamage, FilterBlockReader, StoredFilter};
