//! Bits per key as RocksDB counts them.

use crate::{BitsPerKey, Error};

use crate::error::outside;

/// The largest number of millibits per key at which each probe count, from 1 on, is the best one, as measured by
/// RocksDB (`util/bloom_impl.h`, `ChooseNumProbes`).
const MILLIBITS_UP_TO: [u32; 12] = [
    2080, 3580, 5100, 6640, 8300, 10_070, 11_720, 14_001, 16_050, 18_300, 22_001, 25_501,
];

/// Returns the probe count for this many millibits per key.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the largest value is 24: a count of the table's, or below 50,000 / 2,000"
)]
const fn probes_for(millibits: u32) -> u8 {
    let mut steps: &[u32] = &MILLIBITS_UP_TO;
    let mut probes = 1;
    while let Some((&up_to, rest)) = steps.split_first() {
        if millibits <= up_to {
            return probes;
        }
        probes += 1;
        steps = rest;
    }
    if millibits > 50_000 {
        24
    } else {
        ((millibits - 1) / 2000 - 1) as u8
    }
}

/// Bits per key as RocksDB counts them: from 1 to 100, in thousandths. Lower values count as 1, higher values as 100;
/// below 0.5 RocksDB itself writes no filter.
///
/// Source: RocksDB, `table/block_based/filter_policy.cc` (`BloomLikeFilterPolicy`).
#[derive(Debug, Clone, Copy)]
pub(super) struct RocksDbBits(f64);

impl RocksDbBits {
    pub(super) const fn new(bits_per_key: BitsPerKey) -> Self {
        Self(bits_per_key.get().clamp(1.0, 100.0))
    }

    /// Returns [`new`](Self::new), or an error where RocksDB writes no filter.
    pub(super) fn given(bits_per_key: BitsPerKey) -> Result<Self, Error> {
        match bits_per_key.get() {
            bits if bits < 0.5 => Err(outside("bits per key of RocksDB's formats", bits, "at least 0.5")),
            _ => Ok(Self::new(bits_per_key)),
        }
    }

    pub(super) const fn get(self) -> f64 {
        self.0
    }

    /// Returns millibits per key, 1,000 to 100,000, which determine the size of Bloom filters.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the value is between 1,000 and 100,001; the cast rounds down"
    )]
    pub(super) const fn millibits(self) -> u32 {
        // RocksDB's own constant: slightly more than a half, so that an intended half of a thousandth rounds up.
        (self.0 * 1000.0 + 0.500_001) as u32
    }

    /// Returns the probe count of Bloom filters of format version 5 and later, 1 to 24.
    pub(super) const fn probe_count(self) -> u8 {
        probes_for(self.millibits())
    }

    /// Returns whole bits per key, which determine the size of Bloom filters of format version 4 and earlier.
    pub(super) const fn rounded(self) -> u32 {
        (self.millibits() + 500) / 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rocksdb_makes_of_odd_numbers() {
        for (given, millibits) in [
            (0.0, 1000),
            (0.5, 1000),
            (0.999, 1000),
            (1.0, 1000),
            (10.0715, 10_072),
            (99.9999, 100_000),
            (100.0, 100_000),
            (4e9, 100_000),
        ] {
            let bits = RocksDbBits::new(BitsPerKey::fractional(given).unwrap());
            assert_eq!(bits.millibits(), millibits, "{given}");
        }
    }
}
