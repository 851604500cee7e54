//! The length of the bit set that writers choose, from the number of distinct values and the wanted rate.
//!
//! All three writers use the textbook formula for eight probes, `-8 n / ln(1 - p^(1/8))` bits, and a power of two; they
//! differ in rounding. Logarithm and power come from `libm`.
#![expect(
    clippy::cast_possible_truncation,
    reason = "writers cut to whole numbers, and sizes are at most 128 MiB"
)]

use filter_kernels::split_block::BLOCK_LEN;
use filter_policy::Error;

use super::policy::MAX_LEN;
use crate::sizing::{least, proper_rate, split_block_rate};

/// The longest bit set that the writers make, and that Arrow C++ reads: 128 MiB.
pub const MAX_BITSET_BYTES: u32 = 128 << 20;

const MIN_BITSET_BYTES: u32 = 32;

/// Returns the size in bytes that arrow-rs (the crate `parquet`) gives a filter: bits are truncated to whole bytes, and
/// those are rounded up to a power of two from 32 bytes to 128 MiB. The truncation loses up to seven bits above a power
/// of two.
///
/// Source: arrow-rs 60.1, `parquet/src/bloom_filter/mod.rs` (`new_with_ndv_fpp`), which also accepts the rate 0 and
/// makes 32 bytes of it.
///
/// ```
/// use filter_formats::parquet::{arrow_cpp_bytes, arrow_rs_bytes, parquet_java_bytes};
///
/// let sizes = |values| {
///     Ok::<_, filter_policy::Error>([
///         arrow_rs_bytes(values, 0.01)?,
///         arrow_cpp_bytes(values, 0.01)?,
///         parquet_java_bytes(values, 0.01, 1 << 20)?,
///     ])
/// };
/// assert_eq!(sizes(1000)?, [2048, 2048, 2048]);
/// // 261.4, 271.1 and 4105.0 bits.
/// assert_eq!(sizes(27)?, [32, 64, 64]);
/// assert_eq!(sizes(28)?, [64, 64, 128]);
/// assert_eq!(sizes(424)?, [1024, 1024, 512]);
/// # Ok::<(), filter_policy::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::OutOfDomain`] when the rate is not strictly between 0 and 1.
pub fn arrow_rs_bytes(values: u64, rate: f64) -> Result<u32, Error> {
    let bytes = bits(values as f64, rate)? as u64 / 8;
    let bytes = bytes.clamp(MIN_BITSET_BYTES.into(), MAX_BITSET_BYTES.into());
    Ok((bytes as u32).next_power_of_two())
}

/// Returns the size in bytes that Arrow C++ (and pyarrow) gives a filter: bits are rounded up to a power of two, from
/// 32 bytes to 128 MiB. Arrow C++ takes the number of values as a 32-bit number.
///
/// This is the size while values are inserted. Before Arrow C++ writes the filter it
/// folds it as long as the rate allows, so a file has a shorter filter if the
/// column has fewer distinct values than were announced.
///
/// Source: Arrow 26, `cpp/src/parquet/bloom_filter.h` (`OptimalNumOfBits`).
///
/// # Errors
///
/// [`Error::OutOfDomain`] when the rate is not strictly between 0 and 1.
pub fn arrow_cpp_bytes(values: u64, rate: f64) -> Result<u32, Error> {
    let bits = bits(values as f64, rate)? as u64;
    let bits = bits.clamp(8 * u64::from(MIN_BITSET_BYTES), 8 * u64::from(MAX_BITSET_BYTES));
    Ok((bits.next_power_of_two() / 8) as u32)
}

/// Returns the size in bytes that parquet-java gives a filter. Its rounding of bits up to whole blocks in fact adds 255
/// and clears one bit; bytes are then rounded up to a power of two. Filters are therefore twice as long as Arrow's if
/// the formula gives up to 247 bits less than a power of two, and half as long if it gives a few bits more.
///
/// `most` is the writer's limit, `parquet.bloom.filter.max.bytes`, by default 1 MiB; 32, and values above 128 MiB,
/// count as 128 MiB. A longer filter is cut to this limit, even if the limit is not a power of two. (Without a number
/// of values the writer makes the longest filter, or several, and keeps the smallest that is large enough.)
///
/// Source: parquet-java 1.18, `BlockSplitBloomFilter.java` (`optimalNumOfBits`, `initBitset`),
/// `ColumnValueCollector.java`.
///
/// # Errors
///
/// [`Error::OutOfDomain`] when the rate is not strictly between 0 and 1, or `most` is less than 32.
pub fn parquet_java_bytes(values: u64, rate: f64, most: u32) -> Result<u32, Error> {
    if most < MIN_BITSET_BYTES {
        return Err(Error::OutOfDomain {
            what: "longest bit set in bytes",
            given: f64::from(most),
            allowed: "at least 32",
        });
    }
    // Java's 64-bit product wraps, and its conversion to 32 bits saturates.
    let product = i64::try_from(values).unwrap_or(i64::MAX).wrapping_mul(-8);
    let bits = bits(product as f64 / -8.0, rate)?;
    let most_bits = 8 * u64::from(MAX_BITSET_BYTES);
    let bits = if bits < 0.0 {
        most_bits
    } else {
        (bits as u64).min(most_bits)
    };
    let bits = (bits + 255) & !256;
    let most = if most == MIN_BITSET_BYTES {
        MAX_BITSET_BYTES
    } else {
        most.min(MAX_BITSET_BYTES)
    };
    let bytes = (bits / 8).max(MIN_BITSET_BYTES.into());
    Ok(bytes.next_power_of_two().min(most.into()) as u32)
}

/// Returns the smallest size in bytes, in whole blocks up to 2 GiB, for which the [`expected_rate`] of this many
/// distinct values does not exceed the rate.
///
/// Writers of Parquet files choose other sizes: the textbook formula assumes equally full blocks and gives 8 % too few
/// bits at a rate of 1 %; powers of two give up to twice as many.
///
/// The format allows any number of blocks, and so do arrow-rs, parquet-java and this crate. Arrow C++ (and pyarrow),
/// ClickHouse and Velox, which have the same reader, refuse a size that is not a power of two or is above
/// [`MAX_BITSET_BYTES`]. A file for them needs the next power of two, whose rate is lower:
///
/// ```
/// use filter_formats::parquet::{bytes_for_rate, expected_rate};
///
/// let bytes = bytes_for_rate(1_000_000, 0.01)?;
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
pub fn bytes_for_rate(values: u64, rate: f64) -> Result<u32, Error> {
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

/// Returns the number of bits by the formula that all writers use.
fn bits(values: f64, rate: f64) -> Result<f64, Error> {
    proper_rate(rate)?;
    Ok(-8.0 * values / libm::log(1.0 - libm::pow(rate, 1.0 / 8.0)))
}
