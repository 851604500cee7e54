//! Bits per key as RocksDB takes them.

/// Up to how many thousandths of bits per key a probe count is the best one, from 1 probe on; measured by RocksDB
/// (`util/bloom_impl.h`, `ChooseNumProbes`).
const MILLIBITS_UP_TO: [u32; 12] = [
    2080, 3580, 5100, 6640, 8300, 10_070, 11_720, 14_001, 16_050, 18_300, 22_001, 25_501,
];

/// The probe count for so many thousandths of bits per key.
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

/// How many bits RocksDB's filters are given for each key: a number from 1 to 100, whole or not, of which they count
/// thousandths.
///
/// The filter's own size is a whole number of cache lines, so small filters get more.
///
/// ```
/// use filter_policy::RocksDbBitsPerKey;
///
/// const TEN: RocksDbBitsPerKey = RocksDbBitsPerKey::whole(10);
/// assert_eq!((TEN.millibits(), TEN.probe_count()), (10_000, 6));
/// let half = RocksDbBitsPerKey::new(15.5).unwrap();
/// assert_eq!((half.millibits(), half.probe_count()), (15_500, 9));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct RocksDbBitsPerKey(f64);

impl RocksDbBitsPerKey {
    /// The fewest bits per key.
    pub const MIN: Self = Self(1.0);

    /// The most bits per key.
    pub const MAX: Self = Self(100.0);

    /// What RocksDB makes of the number that it is configured with: `None` below 0.5, where it writes no filters; 1
    /// from there to 1; 100 above 100, and for what is not a number.
    ///
    /// Source: RocksDB, `table/block_based/filter_policy.cc` (`BloomLikeFilterPolicy`).
    pub const fn new(bits: f64) -> Option<Self> {
        if bits < 0.5 {
            None
        } else if bits < Self::MIN.0 {
            Some(Self::MIN)
        } else if bits < Self::MAX.0 {
            Some(Self(bits))
        } else {
            Some(Self::MAX)
        }
    }

    /// A whole number of bits; 0 counts as 1, and what is above 100 as 100.
    pub const fn whole(bits: u32) -> Self {
        Self((bits as f64).clamp(Self::MIN.0, Self::MAX.0))
    }

    /// The number itself.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Thousandths of bits per key, 1,000 to 100,000: what Bloom filters are sized by.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the value is between 1,000 and 100,001; the cast rounds down"
    )]
    pub const fn millibits(self) -> u32 {
        // Not quite a half, so that what is meant as a half of a thousandth goes up: RocksDB's own constant.
        (self.0 * 1000.0 + 0.500_001) as u32
    }

    /// The probe count of Bloom filters of format version 5 and later, 1 to 24.
    pub const fn probe_count(self) -> u8 {
        probes_for(self.millibits())
    }

    /// Whole bits per key: what Bloom filters of format version 4 and before are sized by.
    pub const fn rounded(self) -> u32 {
        (self.millibits() + 500) / 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rocksdb_makes_of_odd_numbers() {
        for none in [f64::NEG_INFINITY, -10.0, -0.0, 0.4, 0.499_999] {
            assert_eq!(RocksDbBitsPerKey::new(none), None, "{none}");
        }
        for (given, millibits) in [
            (0.5, 1000),
            (0.999, 1000),
            (1.0, 1000),
            (10.0715, 10_072),
            (99.9999, 100_000),
            (100.0, 100_000),
            (f64::INFINITY, 100_000),
            (f64::NAN, 100_000),
        ] {
            let bits = RocksDbBitsPerKey::new(given).map(RocksDbBitsPerKey::millibits);
            assert_eq!(bits, Some(millibits), "{given}");
        }
        assert_eq!(RocksDbBitsPerKey::whole(0), RocksDbBitsPerKey::MIN);
        assert_eq!(RocksDbBitsPerKey::whole(u32::MAX), RocksDbBitsPerKey::MAX);
    }
}
