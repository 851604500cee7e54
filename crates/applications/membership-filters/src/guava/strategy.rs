//! Guava's strategies, which derive bit positions from a hash.
//!
//! Knows nothing of keys or memory.

use alloc::vec::Vec;

use crate::bloom::Variety as _;
use crate::hash::Hash128;
use crate::modulus::Modulus;

/// The strategy that derives a key's positions from its hash: Guava's `BloomFilterStrategies`.
///
/// A strategy is part of the stored filter. Its ordinal, the first byte of the stream, and its positions are frozen; a
/// different computation is a new strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[repr(u8)]
pub enum Strategy {
    /// Ordinal 0, `MURMUR128_MITZ_32`: the strategy of Guava before version 17. It uses 64 bits of the hash as two of
    /// 32, and reaches only the first 2^31 bits of a filter.
    Murmur128Mitz32 = 0,
    /// Ordinal 1, `MURMUR128_MITZ_64`: Guava's default. It uses all 128 bits.
    #[default]
    Murmur128Mitz64 = 1,
}

impl Strategy {
    /// Returns the ordinal, the first byte of the stream.
    #[inline]
    pub(crate) const fn ordinal(self) -> u8 {
        self as u8
    }

    /// Returns the strategy of this ordinal; `None` if Guava has none.
    #[inline]
    pub(crate) const fn from_ordinal(ordinal: u8) -> Option<Self> {
        match ordinal {
            0 => Some(Self::Murmur128Mitz32),
            1 => Some(Self::Murmur128Mitz64),
            _ => None,
        }
    }

    /// Returns the name of Guava's constant.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Murmur128Mitz32 => "MURMUR128_MITZ_32",
            Self::Murmur128Mitz64 => "MURMUR128_MITZ_64",
        }
    }

    /// Returns the `probe_count` positions of a key, each below the modulus, which is the filter's number of bits.
    ///
    /// Any modulus is allowed, so that bitmaps outside this crate can be filled by the same rule. Guava's own filters
    /// have a multiple of 64. Positions may repeat.
    ///
    /// ```
    /// use membership_filters::guava::Strategy;
    /// use membership_filters::{Hash128, Modulus};
    ///
    /// let bits = Modulus::new(21_895).unwrap();
    /// let positions = Strategy::Murmur128Mitz64.positions(Hash128::of(b"76930242"), 5, bits);
    /// assert_eq!(positions, [17_799, 14_920, 12_041, 12_190, 9_311]);
    /// ```
    #[must_use]
    pub fn positions(self, hash: Hash128, probe_count: u32, modulus: Modulus) -> Vec<u64> {
        self.rule().positions(hash, probe_count, modulus)
    }

    /// Returns the false-positive rate of this many bits with so many different keys, or an estimate of them, if hashes
    /// are ideal ([`DoubleHashing::rate`](filter_policy::sizing::DoubleHashing::rate), which takes some milliseconds).
    #[must_use]
    pub fn rate(self, bits: Modulus, keys: f64, probe_count: u32) -> f64 {
        self.rule().rate(bits.get(), keys, probe_count)
    }
}

impl core::fmt::Display for Strategy {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}
