//! What filters of RocksDB's take, from the numbers alone.

use super::bits_per_key::RocksDbBits;
use super::fast_local::lines_for;
use crate::arch::wide::lines::LINE_LEN;
use crate::layouts::ribbon::{RibbonSize, size};
use crate::layouts::rocksdb::TAIL_LEN;

/// What a Ribbon filter's rate is chosen by: one over the rate of a large FastLocalBloom filter of these bits per key, as
/// RocksDB estimates it (`util/bloom_impl.h`, `BloomMath::CacheLocalFpRate`): the mean of two textbook rates, for lines one
/// standard deviation fuller and emptier than the mean. Decides stored bytes.
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

/// How many lines a FastLocalBloom filter of so many keys has.
pub(crate) fn fast_local_lines(bits_per_key: RocksDbBits, keys: u64) -> u64 {
    lines_for(bits_per_key, keys)
}

/// The length of a FastLocalBloom filter of so many keys.
pub(crate) fn fast_local_bytes(bits_per_key: RocksDbBits, keys: u64) -> u64 {
    lines_for(bits_per_key, keys) * LINE_LEN as u64 + TAIL_LEN as u64
}

/// The length of a Ribbon filter of so many keys, or 16 bytes more, by the first key's hash.
pub(crate) fn ribbon_bytes(bits_per_key: RocksDbBits, keys: u64) -> u64 {
    if keys == 0 {
        return 0;
    }
    ribbon_size(bits_per_key, keys).map_or_else(
        || fast_local_bytes(bits_per_key, keys),
        |size| size.words * 16 + TAIL_LEN as u64,
    )
}

/// The rate of a Ribbon filter of at least one key; `None` where a FastLocalBloom filter is written.
pub(crate) fn ribbon_rate(bits_per_key: RocksDbBits, keys: u64) -> Option<f64> {
    ribbon_size(bits_per_key, keys).map(|size| size.rate)
}

fn ribbon_size(bits_per_key: RocksDbBits, keys: u64) -> Option<RibbonSize> {
    let bloom = lines_for(bits_per_key, keys) * LINE_LEN as u64;
    size(keys, ribbon_one_in(bits_per_key), bloom)
}
