//! The sizes and rates of RocksDB's filters, from the numbers alone.

use filter_kernels::fast_local::LINE_LEN;

use super::bits_per_key::RocksDbBits;
use super::fast_local::lines_for;
use super::ribbon_size::{RibbonSize, size};
use crate::contents::rocksdb::TAIL_LEN;

/// Returns the `one_in` of a Ribbon filter: one over the rate of a large FastLocalBloom filter with these bits per key,
/// as RocksDB estimates it (`util/bloom_impl.h`, `BloomMath::CacheLocalFpRate`): the mean of two textbook rates, for
/// lines one standard deviation fuller and emptier than the mean. Stored bytes depend on the result.
pub(super) fn ribbon_one_in(bits_per_key: RocksDbBits) -> f64 {
    const LINE_BITS: f64 = LINE_LEN as f64 * 8.0;
    let probes = f64::from(bits_per_key.probe_count());
    let rate = |bits_per_key: f64| libm::pow(1.0 - libm::exp(-probes / bits_per_key), probes);
    let keys_in_line = LINE_BITS / bits_per_key.get();
    let deviation = libm::sqrt(keys_in_line);
    let crowded = rate(LINE_BITS / (keys_in_line + deviation));
    let uncrowded = rate(LINE_BITS / (keys_in_line - deviation));
    2.0 / (crowded + uncrowded)
}

pub(crate) fn fast_local_lines(bits_per_key: RocksDbBits, keys: u64) -> u64 {
    lines_for(bits_per_key, keys)
}

pub(crate) fn fast_local_bytes(bits_per_key: RocksDbBits, keys: u64) -> u64 {
    lines_for(bits_per_key, keys) * LINE_LEN as u64 + TAIL_LEN as u64
}

/// Returns the length of a Ribbon filter of this many keys; the first key's hash may make the filter 16 bytes shorter.
pub(crate) fn ribbon_bytes(bits_per_key: RocksDbBits, keys: u64) -> u64 {
    if keys == 0 {
        return 0;
    }
    ribbon_size(bits_per_key, keys).map_or_else(
        || fast_local_bytes(bits_per_key, keys),
        |size| size.words * 16 + TAIL_LEN as u64,
    )
}

/// Returns the rate of a Ribbon filter of at least one key; `None` if a FastLocalBloom filter is written instead.
pub(crate) fn ribbon_rate(bits_per_key: RocksDbBits, keys: u64) -> Option<f64> {
    ribbon_size(bits_per_key, keys).map(|size| size.rate)
}

fn ribbon_size(bits_per_key: RocksDbBits, keys: u64) -> Option<RibbonSize> {
    let bloom = lines_for(bits_per_key, keys) * LINE_LEN as u64;
    size(keys, ribbon_one_in(bits_per_key), bloom)
}
