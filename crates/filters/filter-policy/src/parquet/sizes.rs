//! The length of the bit set for a number of distinct values and a rate.
#![expect(clippy::cast_possible_truncation, reason = "sizes are from 0 to 2 GiB")]

use crate::Error;
use crate::formats::split_block::BLOCK_LEN;

use crate::formats::split_block::MAX_LEN;
use crate::sizing::{least, proper_rate, split_block_rate};

/// Returns the smallest size in bytes, in whole blocks up to 2 GiB, for which the [`expected_rate`] of this many
/// distinct values does not exceed the rate.
///
/// Other writers of Parquet files round the bits of a textbook formula up to a power of two, so that their rate can be
/// higher or lower than the requested one.
///
/// The format allows any number of blocks, and so do arrow-rs, parquet-java and this crate. Arrow C++ (and pyarrow),
/// ClickHouse and Velox, which have the same reader, refuse a size that is not a power of two or is above
/// 128 MiB. A file for them needs the next power of two, whose rate is lower:
///
/// ```
/// use filter_policy::parquet::{bitset_len_for_rate, expected_rate};
///
/// let bytes = bitset_len_for_rate(1_000_000, 0.01)?;
/// assert_eq!(bytes, 1_316_160);
/// assert!(expected_rate(1_000_000, bytes) <= 0.01 && expected_rate(1_000_000, bytes - 32) > 0.01);
///
/// let for_all_readers = bytes.next_power_of_two();
/// assert_eq!(for_all_readers, 2_097_152);
/// assert!(expected_rate(1_000_000, for_all_readers) < 0.002);
/// # Ok::<(), filter_policy::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::OutOfDomain`] when the rate is not strictly between 0 and 1, [`Error::RateUnreachable`] when 2 GiB is too
/// little.
pub fn bitset_len_for_rate(values: u64, rate: f64) -> Result<u32, Error> {
    proper_rate(rate)?;
    let fits = |blocks| split_block_rate(blocks, values) <= rate;
    let most = u64::from(MAX_LEN) / BLOCK_LEN as u64;
    let blocks = least(1, most, fits).ok_or_else(|| Error::RateUnreachable {
        given: rate,
        lowest: split_block_rate(most, values),
    })?;
    Ok(blocks as u32 * BLOCK_LEN as u32)
}

/// Returns the expected false-positive rate of a bit set of this many bytes that holds this many distinct values: the
/// exact rate for ideal hash values, which accounts for uneven blocks. Without a whole block the rate is 1.
pub fn expected_rate(values: u64, bytes: u32) -> f64 {
    match u64::from(bytes) / BLOCK_LEN as u64 {
        0 => 1.0,
        blocks => split_block_rate(blocks, values),
    }
}
