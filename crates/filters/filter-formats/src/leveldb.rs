//! LevelDB's format: a bit array, then the probe count in the last byte. Its `Layout` is in `filter-policy`. FORMAT.md:
//! "The filter".

use core::fmt;

use filter_policy::leveldb::LevelDbHash;
use filter_policy::leveldb::{self, LevelDb};
use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, Layout as _};
#[cfg(feature = "alloc")]
use filter_policy::{HashValue, KeyHash};

use crate::sizing::leveldb_rate;
#[cfg(feature = "alloc")]
use crate::view::places::Places;
use crate::view::{Described, EngineFormat, FilterView, TEN};

impl EngineFormat {
    /// LevelDB's filter, which [`filter_policy::BloomFilterPolicy`] writes under all of its names: a
    /// bit array of whole bytes, at least 8, then the probe count k.
    ///
    /// The rate is computed from the arithmetic of its probes ([`theory`](crate::theory) derives it and says what it
    /// neglects): within 2 % at 10 bits per key and 24 keys or more; at 13 bits and more, up to 20 % too low for
    /// 32 keys. It takes up to 50 ms. It includes absent keys whose 32-bit hash equals that of a stored key, which no
    /// number of bits per key avoids.
    pub const LEVEL_DB: Self = Self(&BloomFilterPolicy::with_leveldb_hash(TEN));
}

/// Describes the layout, which is the same for every hash function.
impl Described for BloomFilterPolicy<LevelDbHash> {
    fn name(&self) -> &'static str {
        "LevelDb"
    }

    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a> {
        FilterView::of(
            leveldb::split(filter),
            LevelDb::<LevelDbHash>::other(filter),
            |(bit_array, probes)| {
                FilterView::bloom(EngineFormat::LEVEL_DB, bit_array, bit_array.len(), probes).within_32_bits()
            },
        )
    }

    #[cfg(feature = "alloc")]
    fn places(&self, len: usize, tail: &[u8], hash: KeyHash) -> Option<Places> {
        let is_reserved = leveldb::is_reserved(tail);
        Some(Places::of(
            leveldb::split(tail),
            is_reserved,
            HashValue::of(hash),
            |(_, probes), hash| {
                let mut bits = alloc::vec::Vec::with_capacity(probes.into());
                let bytes = len.saturating_sub(1);
                filter_kernels::leveldb::positions(bytes, probes, hash, |bit| bits.push(bit.into()));
                Places::Bits(bits)
            },
        ))
    }

    fn damage(&self, last: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "probe count must be between 1 and 30, got {last}")
    }

    fn hash_bits(&self) -> i32 {
        32
    }

    fn filter_len(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<u64, Error> {
        Ok(leveldb::filter_bits(bits_per_key, keys)? / 8 + 1)
    }

    fn probe_count(&self, _: u64, bits_per_key: BitsPerKey) -> Result<Option<u32>, Error> {
        Ok(Some(leveldb::probe_count(bits_per_key)))
    }

    fn rate(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        let bits = leveldb::filter_bits(bits_per_key, keys)?;
        Ok(leveldb_rate::rate(bits, keys, probes(bits_per_key)))
    }

    fn reach(&self, _: u64) -> Option<u64> {
        Some(1 << 32)
    }
}

/// Returns the probe count as filters store it.
#[expect(clippy::cast_possible_truncation, reason = "at most 30")]
pub(crate) const fn probes(bits_per_key: BitsPerKey) -> u8 {
    leveldb::probe_count(bits_per_key) as u8
}
