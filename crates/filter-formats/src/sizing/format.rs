//! The sizes and rates of the stored formats.

use core::f64::consts::LN_2;

use filter_policy::{BitsPerKey, Error, leveldb};

use super::occupancy::exact_rate;
use super::textbook::{Textbook, equal_hashes, proper_rate};
use super::{leveldb_rate, lines};
use crate::bloom64;
use crate::contents::split_block::{self, MAX_LEN};
use crate::fuse::sizes as fuse;
use crate::rocksdb::{self, RocksDbBits};

/// The number of bits that 32-bit hash values can reach.
const REACHABLE_BITS: u64 = 1 << 32;

/// The number of bits that 64-bit hash values can reach, rounded down to what 64 bits can hold: 2^63.
const REACHABLE_BITS_OF_64: u64 = 1 << 63;

/// The longest bit set of split blocks, in bits.
const MOST_BITS_OF_SPLIT_BLOCKS: u64 = MAX_LEN as u64 * 8;

/// From this many bits per key on, k stays at 30.
const BITS_PER_KEY_AT_MOST_PROBES: u32 = 44;

/// The largest number of bits per key in RocksDB's formats.
const MAX_BITS_OF_ROCKSDB: u32 = 100;

/// A stored filter format, with its exact sizes.
///
/// ```
/// use filter_formats::sizing::Format;
/// use filter_policy::BitsPerKey;
///
/// let fifteen = BitsPerKey::whole(15);
/// assert_eq!(Format::LevelDb.filter_bytes(45_402, fifteen)?, 85_130);
/// assert_eq!(Format::LevelDb.probe_count(45_402, fifteen)?, Some(10));
/// assert_eq!(Format::LevelDb.max_keys(85_130, fifteen), 45_402);
/// assert_eq!(Format::LevelDb.bits_per_key_for_rate(45_402, 0.001)?, fifteen);
/// assert_eq!(Format::LevelDb.bits_per_key_for_bytes(45_402, 85_130)?, fifteen);
///
/// // Bits per key and bytes of the other formats at a rate of 0.1 %.
/// for (format, bits, bytes) in [
///     (Format::Bloom64, 15, 85_130),
///     (Format::FastLocalBloom, 16, 90_821),
///     (Format::Ribbon, 16, 60_741),
///     (Format::SplitBlock, 17, 96_480),
/// ] {
///     let bits_per_key = format.bits_per_key_for_rate(45_402, 0.001)?;
///     assert_eq!(bits_per_key, BitsPerKey::whole(bits));
///     assert_eq!(format.filter_bytes(45_402, bits_per_key)?, bytes);
/// }
/// # Ok::<(), filter_policy::Error>(())
/// ```
///
/// RocksDB's formats count bits per key from 1 to 100: lower values count as 1, higher values as 100. Values below 0.5
/// are an error here, because RocksDB writes no filters then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// LevelDB's filter, which [`BloomFilterPolicy`](filter_policy::BloomFilterPolicy) writes under all of its names: whole
    /// bytes, at least 8, plus one that holds k.
    LevelDb,
    /// The filter of [`BloomFilter64Policy`](crate::BloomFilter64Policy): LevelDB's length, with the best k.
    Bloom64,
    /// The filter of [`FastLocalBloomPolicy`](crate::rocksdb::FastLocalBloomPolicy): lines of 64 bytes, and five bytes of metadata.
    FastLocalBloom,
    #[cfg_attr(
        feature = "alloc",
        doc = "The filter of [`RibbonPolicy`](crate::rocksdb::RibbonPolicy): words of 16 bytes, and five bytes of metadata. The \
               bits per key are those of a FastLocalBloom filter of the same rate, which is also what is written for few \
               keys where it is smaller."
    )]
    #[cfg_attr(not(feature = "alloc"), doc = "RocksDB's Ribbon filter.")]
    Ribbon,
    /// The filter of [`SplitBlockBloomPolicy`](crate::parquet::SplitBlockBloomPolicy): whole blocks of 32 bytes, at
    /// least one and at most 2 GiB. See [`parquet`](crate::parquet) for the sizes that writers of Parquet files choose.
    SplitBlock,
    #[cfg_attr(
        feature = "alloc",
        doc = "That of [`BinaryFusePolicy`](crate::BinaryFusePolicy): whole segments of fingerprints, and 14 bytes; 0 bytes \
               without keys. The fingerprint is the widest whose filter has no more than the bits per key, at least 4 \
               bits and at most 16."
    )]
    #[cfg_attr(not(feature = "alloc"), doc = "Pebble's binary fuse filter.")]
    BinaryFuse,
}

impl Format {
    /// Returns the exact length of the filter in bytes, except that the first key's hash may make a Ribbon filter 16
    /// bytes shorter. `keys` counts distinct keys: RocksDB's formats and binary fuse filters do not count repeats.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] when the length does not fit into 64 bits, or into 2 GiB for split blocks, or a binary
    /// fuse filter has more than 2^31 keys;
    /// [`Error::OutOfDomain`] when the bits per key are too few for a RocksDB filter.
    pub fn filter_bytes(self, keys: u64, bits_per_key: BitsPerKey) -> Result<u64, Error> {
        Ok(match self {
            Self::LevelDb | Self::Bloom64 => leveldb::filter_bits(bits_per_key, keys)? / 8 + 1,
            Self::FastLocalBloom => rocksdb::fast_local_bytes(of_rocksdb(bits_per_key)?, keys),
            Self::Ribbon => rocksdb::ribbon_bytes(of_rocksdb(bits_per_key)?, keys),
            Self::SplitBlock => split_block::bitset_bytes(bits_per_key, keys)?,
            Self::BinaryFuse => fuse::filter_bytes(keys, bits_per_key)?,
        })
    }

    /// Returns the probe count k of a filter of this many keys; `None` for Ribbon and binary fuse filters, which have no
    /// probes.
    ///
    /// # Errors
    ///
    /// The errors of [`filter_bytes`](Self::filter_bytes).
    pub fn probe_count(self, keys: u64, bits_per_key: BitsPerKey) -> Result<Option<u8>, Error> {
        Ok(match self {
            Self::LevelDb => Some(leveldb::probe_count(bits_per_key)),
            Self::Bloom64 => Some(bloom64::probes_for(
                leveldb::filter_bits(bits_per_key, keys)?,
                keys,
            )),
            Self::FastLocalBloom => Some(of_rocksdb(bits_per_key)?.probe_count()),
            Self::Ribbon => {
                let bits = of_rocksdb(bits_per_key)?;
                let is_ribbon = rocksdb::ribbon_rate(bits, keys).is_some();
                (!is_ribbon).then(|| bits.probe_count())
            }
            Self::SplitBlock => Some(8),
            Self::BinaryFuse => None,
        })
    }

    /// Returns the expected false-positive rate at the real size and the real k.
    ///
    /// * LevelDB: computed from the arithmetic of its probes ([`theory`](crate::theory) derives it and says what it
    ///   neglects): within 2 % at 10 bits per key and 24 keys or more; at 13 bits and more, up to 20 % too low for
    ///   32 keys. It takes up to 50 ms. It includes absent keys
    ///   whose 32-bit hash equals that of a stored key, which no number of bits per key avoids.
    /// * `Bloom64`: the exact rate of an ideal filter, from [`exact_rate`].
    /// * `FastLocalBloom`: the exact rate of ideal lines, some fuller than others, plus equal halves of hash values,
    ///   which are what remains at 50 bits per key and more.
    /// * `Ribbon`: the rate that the columns give.
    /// * `SplitBlock`: like `FastLocalBloom`, for ideal blocks.
    /// * `BinaryFuse`: the rate that the width of the fingerprints gives.
    ///
    /// No filter of 64-bit hash values has a rate below about *n* / 2^64, the share of absent keys whose hash value is that
    /// of one of *n* stored keys, and none of 32-bit values one below *n* / 2^32.
    ///
    /// # Errors
    ///
    /// The errors of [`filter_bytes`](Self::filter_bytes).
    pub fn rate(self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        let rate = self.rate_of_hashes(keys, bits_per_key)?;
        // LevelDB's rate has its equal hash values already, and they are more.
        Ok(rate.max(equal_hashes::<64>(keys)))
    }

    /// [`rate`](Self::rate) without absent keys whose 64-bit hash value equals a stored key's.
    fn rate_of_hashes(self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        match self {
            Self::LevelDb => {
                let bits = leveldb::filter_bits(bits_per_key, keys)?;
                Ok(leveldb_rate::rate(bits, keys, leveldb::probe_count(bits_per_key)))
            }
            Self::Bloom64 => {
                let bits = leveldb::filter_bits(bits_per_key, keys)?;
                exact_rate(bits, keys, bloom64::probes_for(bits, keys))
            }
            Self::FastLocalBloom => Ok(fast_local_rate(of_rocksdb(bits_per_key)?, keys)),
            Self::Ribbon => {
                let bits = of_rocksdb(bits_per_key)?;
                Ok(rocksdb::ribbon_rate(bits, keys)
                    .filter(|_| keys > 0)
                    .unwrap_or_else(|| fast_local_rate(bits, keys)))
            }
            Self::SplitBlock => {
                let blocks = split_block::bitset_bytes(bits_per_key, keys)? / 32;
                Ok(split_block_rate(blocks, keys))
            }
            Self::BinaryFuse => {
                fuse::filter_bytes(keys, bits_per_key)?;
                let rate = fuse::rate_of_width(fuse::width_for(keys, bits_per_key));
                Ok(if keys == 0 { 0.0 } else { rate })
            }
        }
    }

    /// Returns the smallest whole bits per key, at least 1, whose [`rate`](Self::rate) does not exceed the wanted one.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] as in [`filter_bytes`](Self::filter_bytes), [`Error::OutOfDomain`] when `wanted` is
    /// not strictly between 0 and 1, [`Error::RateUnreachable`] when the limits of k, of the bits per key and of the
    /// hash's width keep every filter above `wanted`.
    pub fn bits_per_key_for_rate(self, keys: u64, wanted: f64) -> Result<BitsPerKey, Error> {
        proper_rate(wanted)?;
        let rate_at = |bits: u32| self.rate(keys, BitsPerKey::whole(bits));
        let unreachable = |lowest: (f64, u32)| {
            let lowest = self.rate(keys, BitsPerKey::whole(lowest.1))?;
            Err(Error::RateUnreachable {
                given: wanted,
                lowest,
            })
        };
        if self == Self::BinaryFuse {
            fuse::filter_bytes(keys, BitsPerKey::whole(1))?;
            let is_enough = |width: &u8| keys == 0 || fuse::rate_of_width(*width) <= wanted;
            let [.., widest] = fuse::WIDTHS;
            let width = fuse::WIDTHS.into_iter().find(is_enough);
            return width
                .map(|width| fuse::bits_per_key_for_width(keys, width))
                .ok_or(Error::RateUnreachable {
                    given: wanted,
                    lowest: fuse::rate_of_width(widest),
                });
        }
        let reachable_bits = match self {
            Self::LevelDb => Some(REACHABLE_BITS),
            Self::Bloom64 => Some(REACHABLE_BITS_OF_64),
            Self::FastLocalBloom | Self::Ribbon | Self::BinaryFuse => None,
            // Bits per key are rounded up below.
            Self::SplitBlock => Some(MOST_BITS_OF_SPLIT_BLOCKS.saturating_sub(keys)),
        };
        // While k grows, the rate can rise again in filters as large as hash values reach, so all values are tried.
        let tried_singly = reachable_bits.map_or(MAX_BITS_OF_ROCKSDB + 1, |_| BITS_PER_KEY_AT_MOST_PROBES);
        let mut lowest = (f64::INFINITY, 1);
        for bits in 1..tried_singly {
            // Exact rates take long for a crowded filter, and there the bound is enough.
            if keys > 0 && bits + 1 < tried_singly && self.least_rate(keys, BitsPerKey::whole(bits))? > wanted
            {
                continue;
            }
            let reached = rate_at(bits)?;
            if reached <= wanted {
                return Ok(BitsPerKey::whole(bits));
            }
            if reached < lowest.0 {
                lowest = (reached, bits);
            }
        }
        let Some(reachable_bits) = reachable_bits else {
            return unreachable(lowest);
        };
        // From here on more bits never raise the rate, and beyond the reach of hash values they never lower it.
        let enough = reachable_bits.div_ceil(keys.max(1));
        let mut high = u32::try_from(enough)
            .unwrap_or(u32::MAX)
            .max(BITS_PER_KEY_AT_MOST_PROBES);
        let at_best = rate_at(high)?;
        if at_best > wanted {
            return unreachable(if at_best < lowest.0 {
                (at_best, high)
            } else {
                lowest
            });
        }
        // By doubling, because a small filter's rate is computed faster.
        let (mut low, most) = (BITS_PER_KEY_AT_MOST_PROBES, high);
        high = low;
        while high < most && rate_at(high)? > wanted {
            low = high + 1;
            high = high.saturating_mul(2).min(most);
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if rate_at(middle)? <= wanted {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(BitsPerKey::whole(high))
    }

    /// Returns a lower bound for the rate of any filter of this length: the best Bloom filter for formats with probes,
    /// otherwise the information-theoretic minimum.
    fn least_rate(self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        let bits = 8.0 * self.filter_bytes(keys, bits_per_key)? as f64 / keys as f64;
        Ok(match self {
            Self::Ribbon | Self::BinaryFuse => libm::exp2(-bits),
            // Reduced by the error of the computed rate. Bits beyond the reach of a hash value only raise the rate.
            Self::LevelDb => {
                let bits = leveldb::filter_bits(bits_per_key, keys)?.min(REACHABLE_BITS);
                let probes = u32::from(leveldb::probe_count(bits_per_key));
                let by_ideal_probes = Textbook::with_probe_count(probes).rate(bits, keys)?;
                let by_equal_hashes = equal_hashes::<32>(keys);
                0.97 * by_ideal_probes * (1.0 - by_equal_hashes) + by_equal_hashes
            }
            Self::Bloom64 | Self::FastLocalBloom | Self::SplitBlock => libm::exp(-bits * LN_2 * LN_2),
        })
    }

    /// Returns the largest whole number of bits per key at which a filter of this many keys takes at most this many
    /// bytes: 0 to 4,294,967,295, and 1 to 100 in RocksDB's formats.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfDomain`] when `bytes` is less than the smallest filter: 9 bytes, 32 for split blocks, in RocksDB's
    /// formats the filter of these keys at one bit per key, and the binary fuse filter of these keys with 4 bits per
    /// fingerprint.
    pub fn bits_per_key_for_bytes(self, keys: u64, bytes: u64) -> Result<BitsPerKey, Error> {
        let whole = |bits: u64| BitsPerKey::whole(u32::try_from(bits).unwrap_or(u32::MAX));
        let (least, most, allowed) = match self {
            Self::LevelDb | Self::Bloom64 => (0, u32::MAX, "at least 9"),
            Self::SplitBlock => (0, u32::MAX, "at least 32"),
            Self::BinaryFuse => (0, u32::MAX, "at least what fingerprints of 4 bits take"),
            Self::FastLocalBloom | Self::Ribbon => (
                1,
                MAX_BITS_OF_ROCKSDB,
                "at least what the filter takes at 1 bit per key",
            ),
        };
        largest(least, u64::from(most), |bits| self.fits(keys, whole(bits), bytes))
            .map(whole)
            .ok_or(Error::OutOfDomain {
                what: "memory in bytes",
                given: bytes as f64,
                allowed,
            })
    }

    /// Returns the largest number of keys whose filter takes at most this many bytes; 0 when not even an empty filter
    /// fits, or the bits per key are invalid. Every number of keys fits if a filter does not grow, at 0 bits per key or
    /// at RocksDB's 4 GiB. Binary fuse filters grow in steps, and a few keys more may take fewer bytes: another larger
    /// number may fit then.
    pub fn max_keys(self, bytes: u64, bits_per_key: BitsPerKey) -> u64 {
        largest(0, u64::MAX, |keys| self.fits(keys, bits_per_key, bytes)).unwrap_or(0)
    }

    fn fits(self, keys: u64, bits_per_key: BitsPerKey, bytes: u64) -> bool {
        self.filter_bytes(keys, bits_per_key)
            .is_ok_and(|taken| taken <= bytes)
    }
}

fn fast_local_rate(bits_per_key: RocksDbBits, keys: u64) -> f64 {
    let lines = rocksdb::fast_local_lines(bits_per_key, keys);
    let by_probes = |lines, keys| lines::rate(lines, keys, bits_per_key.probe_count());
    with_equal_halves(lines, keys, by_probes)
}

pub(crate) fn split_block_rate(blocks: u64, keys: u64) -> f64 {
    with_equal_halves(blocks, keys, lines::split_block_rate)
}

/// Adds the rate of keys with the same line and the same probe half of the hash to the rate of the probes.
fn with_equal_halves(lines: u64, keys: u64, by_probes: impl Fn(u64, u64) -> f64) -> f64 {
    const SAME_HALF: f64 = 1.0 / 4_294_967_296.0;
    if keys == 0 {
        return 0.0;
    }
    let by_probes = by_probes(lines, keys);
    let by_equal_halves = (keys as f64 / lines as f64 * SAME_HALF).min(1.0);
    by_probes + by_equal_halves * (1.0 - by_probes)
}

/// Returns bits per key as RocksDB counts them, or an error below 0.5.
fn of_rocksdb(bits_per_key: BitsPerKey) -> Result<RocksDbBits, Error> {
    if bits_per_key.get() < 0.5 {
        return Err(Error::OutOfDomain {
            what: "bits per key of RocksDB's formats",
            given: bits_per_key.get(),
            allowed: "at least 0.5",
        });
    }
    Ok(RocksDbBits::new(bits_per_key))
}

/// Returns the least number from `least` to `limit` that fits, if every number above a fitting one fits too.
pub(crate) fn least(least: u64, limit: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
    match largest(least, limit, |number| !fits(number)) {
        None => Some(least),
        Some(too_small) => (too_small < limit).then_some(too_small + 1),
    }
}

/// Returns the largest number from `least` to `limit` that fits, if every number below a fitting one fits too.
fn largest(least: u64, limit: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
    if !fits(least) {
        return None;
    }
    let (mut low, mut high) = (least, limit);
    while low < high {
        // Rounds up, so that the search ends.
        let middle = high - (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests;
