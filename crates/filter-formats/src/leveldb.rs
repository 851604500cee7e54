//! LevelDB's layout, whose policy is in `filter-policy`.

use filter_policy::{BitsPerKey, leveldb};
#[cfg(feature = "alloc")]
use filter_policy::{BloomFilterPolicy, HashValue, hashers};

use crate::contents::Contents;
use crate::sizing::leveldb_rate;
#[cfg(feature = "alloc")]
use crate::view::places::Places;
use crate::view::{FilterView, Format};

impl Format {
    /// LevelDB's filter, which [`filter_policy::BloomFilterPolicy`] writes under all of its names: a
    /// bit array of whole bytes, at least 8, then the probe count k.
    ///
    /// The rate is computed from the arithmetic of its probes ([`theory`](crate::theory) derives it and says what it
    /// neglects): within 2 % at 10 bits per key and 24 keys or more; at 13 bits and more, up to 20 % too low for
    /// 32 keys. It takes up to 50 ms. It includes absent keys whose 32-bit hash equals that of a stored key, which no
    /// number of bits per key avoids.
    pub const LEVEL_DB: Self = Self {
        name: "LevelDb",
        layout: "LevelDb",
        is_distinct: false,
        view: |filter| match contents(filter) {
            Contents::Empty => FilterView::EMPTY,
            Contents::Reserved => FilterView::RESERVED,
            Contents::Filter((bit_array, probes)) => {
                FilterView::bloom(Format::LEVEL_DB, bit_array, bit_array.len(), probes).within_32_bits()
            }
        },
        #[cfg(feature = "alloc")]
        places: |len, tail, hash| {
            // The layout is that of many functions.
            let hash = HashValue::of(hash);
            Some(contents(tail).places(hash, |(_, probes), hash| {
                let mut bits = alloc::vec::Vec::with_capacity(probes.into());
                let bytes = len.saturating_sub(1);
                filter_kernels::leveldb::positions(bytes, probes, hash, |bit| bits.push(bit.into()));
                Places::Bits(bits)
            }))
        },
        #[cfg(feature = "alloc")]
        may_match: |_, _, _| true,
        damage: |last, f| write!(f, "probe count must be between 1 and 30, got {last}"),
        hash_bits: 32,
        filter_len: |keys, bits_per_key| Ok(leveldb::filter_bits(bits_per_key, keys)? / 8 + 1),
        probe_count: |_, bits_per_key| Ok(Some(leveldb::probe_count(bits_per_key))),
        rate: |keys, bits_per_key| {
            let bits = leveldb::filter_bits(bits_per_key, keys)?;
            Ok(leveldb_rate::rate(bits, keys, probes(bits_per_key)))
        },
        reach: Some(|_| 1 << 32),
    };
}

named! {
    BUILTIN: hashers::LevelDbHash::POLICY_NAME, ["leveldb"], LEVEL_DB, 0, BloomFilterPolicy::with_leveldb_hash;
    MURMUR2: hashers::Murmur2::POLICY_NAME, ["murmur2"], LEVEL_DB, 0, BloomFilterPolicy::new;
    SIGNED_TAIL: hashers::Murmur2SignedTail::POLICY_NAME, ["murmur2-signed"], LEVEL_DB, 0, BloomFilterPolicy::with_signed_tail;
}

/// Returns the probe count as filters store it.
#[expect(clippy::cast_possible_truncation, reason = "at most 30")]
pub(crate) const fn probes(bits_per_key: BitsPerKey) -> u8 {
    leveldb::probe_count(bits_per_key) as u8
}

const fn contents(filter: &[u8]) -> Contents<(&[u8], u8)> {
    match leveldb::stored(filter) {
        leveldb::Stored::Empty => Contents::Empty,
        leveldb::Stored::Reserved => Contents::Reserved,
        leveldb::Stored::Bloom { bit_array, probes } => Contents::Filter((bit_array, probes)),
    }
}
