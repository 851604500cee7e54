//! The size of a filter: computed from a capacity and a false-positive rate, or given.
//!
//! Independent of keys, hashes and stored bytes.

use crate::error::{Error, Violation};
use filter_policy::parquet::{bitset_len_for_rate, expected_rate};

const BLOCK_BYTES: u32 = 32;

/// The largest number of blocks that `filter_policy::parquet` accepts: 2 GiB minus one block.
const MAX_BLOCKS: u32 = (1 << 26) - 1;

/// The size of a [`BlockedBloomFilter`](crate::BlockedBloomFilter): its number of blocks of 32 bytes.
///
/// ```
/// use membership_filters::Parameters;
///
/// let parameters = Parameters::new(1_000_000, 0.01)?;
/// assert_eq!(parameters.memory_bytes(), 1_316_160);
/// assert!(parameters.rate_at(1_000_000) <= 0.01);
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameters {
    blocks: u32,
}

impl Parameters {
    /// Returns the smallest filter whose false-positive rate with `capacity` keys is at most `rate`.
    /// The rate is exact: it accounts for blocks that are fuller than others, which the textbook formula ignores.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] when the rate is not above 0 and below 1, [`Error::TooLarge`] when 2 GiB is
    /// too little.
    pub fn new(capacity: u64, rate: f64) -> Result<Self, Error> {
        Error::check_rate(rate)?;
        let bytes = bitset_len_for_rate(capacity, rate).map_err(|_| {
            let thing = "the size";
            let got = format_args!("{capacity} keys at {rate:e}");
            Error::TooLarge(Violation::new(thing, "at most 2 GiB", got))
        })?;
        Self::with_blocks(bytes / BLOCK_BYTES)
    }

    /// Returns a filter of this many blocks, 1 to 67,108,863.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for another number.
    pub fn with_blocks(blocks: u32) -> Result<Self, Error> {
        if (1..=MAX_BLOCKS).contains(&blocks) {
            return Ok(Self { blocks });
        }
        let range = format_args!("between 1 and {MAX_BLOCKS}");
        Err(Error::argument("the blocks", range, blocks))
    }

    /// Returns the number of blocks.
    pub const fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Returns the size of the blocks in memory, in bytes.
    pub const fn memory_bytes(&self) -> u64 {
        self.blocks as u64 * BLOCK_BYTES as u64
    }

    /// Returns the number of bits that a key sets: 8, one in each word of its block.
    pub const fn probe_count(&self) -> u32 {
        8
    }

    /// Returns the false-positive rate of a filter with this many different keys.
    pub fn rate_at(&self, len: u64) -> f64 {
        expected_rate(len, self.blocks * BLOCK_BYTES)
    }
}
