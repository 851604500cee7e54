//! LevelDB's filter block: the filters of all data blocks of a table, followed by the filters' offsets.
//!
//! Filters are opaque bytes here; only the policy interprets them. `FORMAT.md` describes them.

#[cfg(feature = "alloc")]
mod builder;
mod reader;

#[cfg(feature = "alloc")]
pub use builder::FilterBlockBuilder;
pub use reader::{BlockFilter, FilterBlockDamage, FilterBlockReader};

/// Returns the length in bytes of the longest filter of so many keys that can be given to LevelDB and engines like it:
/// 62 bits per key, and 160 bytes. Adapters store [`MATCHES_EVERYTHING`](crate::MATCHES_EVERYTHING) in place of a longer one.
///
/// These engines store the offsets of a table's filters in 32 bits, and deny every key of a table whose filters exceed 4 GiB
/// together. With this limit they do not: LevelDB clips `max_file_size` to 1 GiB, which counts data blocks as they are
/// stored, and starts a filter for every 2 KiB of it and of the last block, which has at most 4 MiB. An entry has 12 bytes
/// or more: three lengths of a byte each, a byte by which its key differs from the one before, and 8 bytes with the
/// sequence number. Snappy stores these in elements of at least two bytes. Numbers are never equal, so no element covers
/// a whole entry, and a table has at most 2^29 different keys: 2^29 * 62 / 8 + (2^19 + 2^11) * 160 bytes are below 2^32.
/// A table from memory has fewer: 26 bytes each of a write buffer of at most 1 GiB.
///
/// ```
/// use filter_policy::filter_block::longest_filter;
///
/// assert_eq!(longest_filter(1_000_000), 7_750_160);
/// ```
pub const fn longest_filter(keys: usize) -> usize {
    (keys / 4).saturating_mul(31).saturating_add(160)
}
