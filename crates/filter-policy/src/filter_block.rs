//! LevelDB's filter block: the filters of all data blocks of a table, and where each of them lies.
//!
//! Filters are bytes here; what is in them is the policy's alone. [`format`](crate::format) has the layout.

#[cfg(feature = "alloc")]
mod builder;
mod reader;

#[cfg(feature = "alloc")]
pub use builder::FilterBlockBuilder;
pub use reader::{FilterBlockDamage, FilterBlockReader, StoredFilter};

/// A filter covers the data blocks that start within 2^11 bytes of the file (`kFilterBaseLg` in LevelDB's
/// `table/filter_block.cc`).
const BASE_LG: u8 = 11;

/// The bytes after the offsets: where the offsets start, and `BASE_LG`.
const TAIL_LEN: usize = 5;
