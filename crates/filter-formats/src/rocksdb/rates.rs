//! The sizes and rates of RocksDB's filters, from the numbers alone.

use filter_kernels::fast_local::LINE_LEN;
use filter_kernels::ribbon::Shape;
use filter_policy::{BitsPerKey, Error};

use super::bits_per_key::RocksDbBits;
use super::fast_local::lines_for;
use super::kinds::{self, TAIL_LEN};
use super::legacy::{self, CacheLine};
use super::legacy_rate;
use super::ribbon_size::{self, expected_rate};
use crate::error::outside;
use crate::sizing::line_rate;
use crate::view::Format;

impl Format {
    /// The filter of [`FastLocalBloomPolicy`](crate::rocksdb::FastLocalBloomPolicy), of RocksDB's format version 5 or later:
    /// lines of 64 bytes, and five bytes that tell RocksDB's formats apart. The rate is the exact one of ideal lines, some fuller than others, plus equal halves of hash values,
    /// which are what remains at 50 bits per key and more.
    pub const FAST_LOCAL_BLOOM: Self = Self {
        name: "FastLocalBloom",
        layout: "RocksDb",
        is_distinct: false,
        view: |filter| kinds::contents(filter).view(),
        #[cfg(feature = "alloc")]
        places: kinds::places,
        #[cfg(feature = "alloc")]
        may_match: kinds::line_may_match,
        damage: |last, f| write!(f, "tail must be of a known kind, got last byte {last:#04x}"),
        hash_bits: 64,
        filter_len: |keys, bits_per_key| Ok(bloom_bytes(of_rocksdb(bits_per_key)?, keys)),
        probe_count: |_, bits_per_key| Ok(Some(of_rocksdb(bits_per_key)?.probe_count().into())),
        rate: |keys, bits_per_key| Ok(bloom_rate(of_rocksdb(bits_per_key)?, keys)),
        reach: None,
    };

    /// The filter of [`LegacyFullFilterPolicy`](crate::rocksdb::LegacyFullFilterPolicy), of RocksDB's format version 4 or
    /// earlier: an odd number of lines of 64 bytes, and five bytes of metadata. The rate comes from the arithmetic of its
    /// probes ([`theory`](crate::theory)): within 3 % of measured rates, and 6 % from some hundred thousand keys on.
    pub const LEGACY_BLOOM: Self = Self {
        name: "LegacyBloom",
        hash_bits: 32,
        filter_len: |keys, bits_per_key| {
            let lines = legacy::lines_for(of_rocksdb(bits_per_key)?, keys, CacheLine::Bytes64);
            Ok(u64::from(lines) * LINE_LEN as u64 + TAIL_LEN as u64)
        },
        probe_count: |_, bits_per_key| Ok(Some(legacy::probe_count(of_rocksdb(bits_per_key)?).into())),
        rate: |keys, bits_per_key| {
            let bits = of_rocksdb(bits_per_key)?;
            let lines = legacy::lines_for(bits, keys, CacheLine::Bytes64);
            Ok(legacy_rate::rate(lines, keys, legacy::probe_count(bits)))
        },
        ..Self::FAST_LOCAL_BLOOM
    };

    /// The filter of `RibbonPolicy`: words of 16 bytes, and five bytes of metadata. The bits per key are those of a
    /// FastLocalBloom filter of the same rate, which is also what is written for few keys where it is smaller. The rate is
    /// the one that the columns give.
    pub const RIBBON: Self = Self {
        name: "Ribbon",
        filter_len: |keys, bits_per_key| {
            let bits = of_rocksdb(bits_per_key)?;
            Ok(match ribbon_shape(bits, keys) {
                _ if keys == 0 => 0,
                Some(shape) => shape.words() * 16 + TAIL_LEN as u64,
                None => bloom_bytes(bits, keys),
            })
        },
        probe_count: |keys, bits_per_key| {
            let bits = of_rocksdb(bits_per_key)?;
            let is_ribbon = ribbon_shape(bits, keys).is_some();
            Ok((!is_ribbon).then(|| bits.probe_count().into()))
        },
        rate: |keys, bits_per_key| {
            let bits = of_rocksdb(bits_per_key)?;
            let shape = ribbon_shape(bits, keys).filter(|_| keys > 0);
            Ok(shape.map_or_else(|| bloom_rate(bits, keys), expected_rate))
        },
        ..Self::FAST_LOCAL_BLOOM
    };
}

/// Returns bits per key as RocksDB counts them, or an error below 0.5.
fn of_rocksdb(bits_per_key: BitsPerKey) -> Result<RocksDbBits, Error> {
    match bits_per_key.get() {
        bits if bits < 0.5 => Err(outside("bits per key of RocksDB's formats", bits, "at least 0.5")),
        _ => Ok(RocksDbBits::new(bits_per_key)),
    }
}

fn bloom_bytes(bits_per_key: RocksDbBits, keys: u64) -> u64 {
    lines_for(bits_per_key, keys) * LINE_LEN as u64 + TAIL_LEN as u64
}

fn bloom_rate(bits_per_key: RocksDbBits, keys: u64) -> f64 {
    line_rate(lines_for(bits_per_key, keys), keys, bits_per_key.probe_count())
}

fn ribbon_shape(bits_per_key: RocksDbBits, keys: u64) -> Option<Shape> {
    let bloom = lines_for(bits_per_key, keys) * LINE_LEN as u64;
    ribbon_size::shape(keys, ribbon_one_in(bits_per_key), 0, bloom)
}

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
