//! The split-block Bloom filter of Parquet, also used by Impala, Kudu and Arrow: as a policy for engines, and as stored
//! in Parquet files.
//!
//! A Parquet file has at most one filter for each column of each row group: a header of some 16 bytes, and a bit set of
//! 32-byte blocks. [`SplitBlockFilter`] reads a filter, [`SplitBlockFilterMut`] builds one, and [`Header`] is the
//! header. [`bitset_len_for_rate`] returns the size that keeps a rate. The filter holds values, not keys: a value's [`hash`](PhysicalValue::hash) is the hash of its plain
//! encoding. See [`FORMAT.md`](crate::format_page) for the bytes; the crate `filter-parquet` finds the filters in files.
//!
//! ```
//! use filter_policy::parquet::{
//!     Header, PhysicalValue, SplitBlockFilter, SplitBlockFilterMut, bitset_len_for_rate,
//! };
//!
//! // A writer that expects a thousand values, and gets a hundred.
//! let mut bitset = [0; 2048];
//! let mut filter = SplitBlockFilterMut::new(&mut bitset)?;
//! for id in 0..100 {
//!     filter.insert_raw_hash(PhysicalValue::Int64(id).hash());
//! }
//! let bitset = filter.fold_to_len(bitset_len_for_rate(100, 0.01)?.next_power_of_two() as usize)?;
//! let header = Header::new(bitset.len())?.encode();
//! let stored = [header.as_ref(), &bitset].concat();
//!
//! // A reader that looks for rows with one value.
//! let filter = SplitBlockFilter::read(&stored)?;
//! assert!(filter.may_match_value(PhysicalValue::Int64(7)));
//! assert!(!filter.may_match_value(PhysicalValue::Int64(1007)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod filter;
mod header;
mod sizes;
pub mod thrift;
mod value;

pub use crate::formats::split_block::ParquetPolicy;
pub use filter::{SplitBlockFilter, SplitBlockFilterMut, block_bits, block_may_match};
pub use header::{EncodedHeader, Header};
pub use sizes::{bitset_len_for_rate, expected_rate};
pub use value::PhysicalValue;
