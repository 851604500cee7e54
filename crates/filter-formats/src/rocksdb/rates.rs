//! The sizes and rates of RocksDB's filters, from the numbers alone.

use core::fmt;

use filter_kernels::fast_local::LINE_LEN;
use filter_kernels::ribbon::Shape;
#[cfg(feature = "alloc")]
use filter_policy::KeyHash;
use filter_policy::{BitsPerKey, Error};

use super::bits_per_key::RocksDbBits;
use super::fast_local::lines_for;
use super::kinds::{self, TAIL_LEN};
use super::legacy::{self, CacheLine};
use super::legacy_rate;
use super::ribbon_size::{self, expected_rate};
use crate::error::outside;
use crate::sizing::line_rate;
#[cfg(feature = "alloc")]
use crate::view::places::Places;
use crate::view::{Described, FilterView, Format};

impl Format {
    /// The filter of [`FastLocalBloom`](crate::rocksdb::FastLocalBloom), of RocksDB's format version 5 or later:
    /// lines of 64 bytes, and five bytes that tell RocksDB's formats apart. The rate is the exact one of ideal lines, some fuller than others, plus equal halves of hash values,
    /// which are what remains at 50 bits per key and more.
    pub const FAST_LOCAL_BLOOM: Self = Self(&RocksDb::FastLocalBloom);

    /// The filter of [`LegacyBloom`](crate::rocksdb::LegacyBloom), of RocksDB's format version 4 or
    /// earlier: an odd number of lines of 64 bytes, and five bytes of metadata. The rate comes from the arithmetic of its
    /// probes ([`theory`](crate::theory)): within 3 % of measured rates, and 6 % from some hundred thousand keys on.
    pub const LEGACY_BLOOM: Self = Self(&RocksDb::LegacyBloom);

    /// The filter of `Ribbon`: words of 16 bytes, and five bytes of metadata. The bits per key are those of a
    /// FastLocalBloom filter of the same rate, which is also what is written for few keys where it is smaller. The rate is
    /// the one that the columns give.
    pub const RIBBON: Self = Self(&RocksDb::Ribbon);
}

/// RocksDB's formats, which have one reader.
enum RocksDb {
    FastLocalBloom,
    LegacyBloom,
    Ribbon,
}

impl Described for RocksDb {
    fn name(&self) -> &'static str {
        match self {
            Self::FastLocalBloom => "FastLocalBloom",
            Self::LegacyBloom => "LegacyBloom",
            Self::Ribbon => "Ribbon",
        }
    }

    fn layout(&self) -> &'static str {
        "RocksDb"
    }

    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a> {
        kinds::view(filter)
    }

    #[cfg(feature = "alloc")]
    fn places(&self, len: usize, tail: &[u8], hash: KeyHash) -> Option<Places> {
        kinds::places(len, tail, hash)
    }

    #[cfg(feature = "alloc")]
    fn may_match(&self, tail: &[u8], hash: KeyHash, line: &[u8]) -> bool {
        kinds::line_may_match(tail, hash, line)
    }

    fn damage(&self, last: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tail must be of a known kind, got last byte {last:#04x}")
    }

    fn hash_bits(&self) -> i32 {
        match self {
            Self::LegacyBloom => 32,
            _ => 64,
        }
    }

    fn filter_len(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<u64, Error> {
        let bits = of_rocksdb(bits_per_key)?;
        Ok(match (self, ribbon_shape(bits, keys)) {
            (Self::LegacyBloom, _) => {
                let lines = legacy::lines_for(bits, keys, CacheLine::Bytes64);
                u64::from(lines) * LINE_LEN as u64 + TAIL_LEN as u64
            }
            (Self::Ribbon, _) if keys == 0 => 0,
            (Self::Ribbon, Some(shape)) => shape.words() * 16 + TAIL_LEN as u64,
            _ => bloom_bytes(bits, keys),
        })
    }

    fn probe_count(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<Option<u32>, Error> {
        let bits = of_rocksdb(bits_per_key)?;
        Ok(match self {
            Self::LegacyBloom => Some(legacy::probe_count(bits).into()),
            Self::Ribbon if ribbon_shape(bits, keys).is_some() => None,
            _ => Some(bits.probe_count().into()),
        })
    }

    fn rate(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        let bits = of_rocksdb(bits_per_key)?;
        Ok(match (self, ribbon_shape(bits, keys)) {
            (Self::LegacyBloom, _) => {
                let lines = legacy::lines_for(bits, keys, CacheLine::Bytes64);
                legacy_rate::rate(lines, keys, legacy::probe_count(bits))
            }
            (Self::Ribbon, Some(shape)) if keys > 0 => expected_rate(shape),
            _ => bloom_rate(bits, keys),
        })
    }

    fn reach(&self, _: u64) -> Option<u64> {
        None
    }
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
