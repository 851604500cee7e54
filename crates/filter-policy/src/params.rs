//! Bits per key, and the probe count and filter size derived from them.
//!
//! Independent of keys, hashes and stored bytes.

use crate::error::Error;

/// The largest probe count that a filter's last byte can state; larger values are reserved for other encodings.
///
/// Source: LevelDB, `util/bloom.cc`.
pub(crate) const MAX_PROBES: u8 = 30;

/// The minimum size of the bit array: smaller arrays would have a very high false-positive rate.
///
/// Source: LevelDB, `util/bloom.cc`.
pub(crate) const MIN_BITS: u64 = 64;

/// LevelDB's approximation of ln 2, the factor from bits per key to the best probe count. Stored bytes depend on this
/// value: a closer value would give other filters.
const LN_2_OF_THE_FORMAT: f64 = 0.69;

/// The number of bits that a filter has for each key: from 0 to 4,294,967,295, whole or not.
///
/// More bits per key mean fewer false positives: about 1 % at 10, 0.1 % at 15 (see [`sizing`](crate::sizing)). The
/// number is not stored with the filter and may change from one filter to the next; readers do not need it.
///
/// ```
/// use filter_policy::BitsPerKey;
///
/// const TEN: BitsPerKey = BitsPerKey::whole(10);
/// assert_eq!(TEN.probe_count(), 6);
/// assert_eq!(TEN.filter_len(80_000)?, 100_001);
///
/// let fraction = BitsPerKey::fractional(9.6)?;
/// assert_eq!(fraction.filter_len(80_000)?, 96_001);
///
/// let error = BitsPerKey::fractional(-1.0).unwrap_err();
/// assert_eq!(error.to_string(), "bits per key must be between 0 and 4294967295, got -1");
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct BitsPerKey(f64);

impl BitsPerKey {
    /// The largest value, 4,294,967,295.
    pub const MAX: Self = Self::whole(u32::MAX);

    /// Takes a whole number, as LevelDB does. 0 is allowed: every filter then has 64 bits and one probe.
    pub const fn whole(bits: u32) -> Self {
        Self(bits as f64)
    }

    /// Takes any number in the range; `fractional(10.0)` is the same as `whole(10)`.
    ///
    /// # Errors
    ///
    /// [`Error::BitsPerKeyOutOfRange`] when `bits` is negative, above 4,294,967,295, infinite or not a number.
    pub const fn fractional(bits: f64) -> Result<Self, Error> {
        if bits >= 0.0 && bits <= Self::MAX.0 {
            // Adding 0.0 drops the sign of a negative zero, which `times` would otherwise decode.
            Ok(Self(bits + 0.0))
        } else {
            Err(Error::BitsPerKeyOutOfRange { given: bits })
        }
    }

    /// Returns the number itself.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Returns the probe count k that the format derives: `floor(bits_per_key * 0.69)`, at least 1, at most 30.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the value is between 1 and 30; the cast rounds down"
    )]
    pub const fn probe_count(self) -> u8 {
        (self.0 * LN_2_OF_THE_FORMAT).clamp(1.0, MAX_PROBES as f64) as u8
    }

    /// Returns the size of the bit array for this number of keys, in bits: `floor(keys * bits_per_key)`, at least 64,
    /// rounded up to whole bytes. The product is exact, without intermediate rounding.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] when the size does not fit into 64 bits.
    pub fn filter_bits(self, keys: u64) -> Result<u64, Error> {
        u64::try_from(self.times(keys))
            .ok()
            .and_then(|bits| bits.max(MIN_BITS).checked_next_multiple_of(8))
            .ok_or(self.too_large(keys))
    }

    /// Returns the length of a filter for this number of keys, in bytes: the bit array and the byte that holds k.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] when the length does not fit into a `usize`.
    pub fn filter_len(self, keys: usize) -> Result<usize, Error> {
        let keys = keys as u64;
        usize::try_from(self.filter_bits(keys)? / 8)
            .ok()
            .and_then(|bytes| bytes.checked_add(1))
            .ok_or(self.too_large(keys))
    }

    fn too_large(self, keys: u64) -> Error {
        Error::FilterTooLarge {
            keys,
            bits_per_key: self.0,
        }
    }

    /// Returns `floor(keys * self)`, exactly.
    ///
    /// A finite double is `mantissa * 2^exponent` with a 53-bit mantissa, so the product fits into 117 bits.
    /// The exponent is at most -21 because the value is below 2^32.
    fn times(self, keys: u64) -> u128 {
        const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;
        let encoded = self.0.to_bits();
        let fraction = encoded & ((1 << MANTISSA_BITS) - 1);
        // Subnormal numbers have no hidden bit and the exponent of the smallest normal numbers.
        let (mantissa, biased_exponent) = match encoded >> MANTISSA_BITS {
            0 => (fraction, 1),
            biased => (fraction | 1 << MANTISSA_BITS, biased),
        };
        let right_shift = u64::from(MANTISSA_BITS) + 1023 - biased_exponent;
        let product = u128::from(keys) * u128::from(mantissa);
        u32::try_from(right_shift)
            .ok()
            .and_then(|shift| product.checked_shr(shift))
            .unwrap_or(0)
    }
}

impl From<u32> for BitsPerKey {
    fn from(bits: u32) -> Self {
        Self::whole(bits)
    }
}

impl TryFrom<f64> for BitsPerKey {
    type Error = Error;

    fn try_from(bits: f64) -> Result<Self, Error> {
        Self::fractional(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probe_counts_are_those_of_leveldb() {
        let known = [
            (0, 1),
            (1, 1),
            (2, 1),
            (3, 2),
            (10, 6),
            (14, 9),
            (15, 10),
            (20, 13),
            (30, 20),
            (43, 29),
            (44, 30),
            (45, 30),
        ];
        for (bits, probes) in known {
            assert_eq!(
                BitsPerKey::whole(bits).probe_count(),
                probes,
                "{bits} bits per key"
            );
        }
        // No product below the upper limit is a whole number, so integer arithmetic must agree with the doubles.
        for bits in 0..=1000_u32 {
            let exact = (bits * 69 / 100).clamp(1, 30);
            assert_eq!(
                u32::from(BitsPerKey::whole(bits).probe_count()),
                exact,
                "{bits} bits per key"
            );
        }
        assert_eq!(BitsPerKey::MAX.probe_count(), 30);
    }

    #[test]
    fn sizes_that_were_published() {
        let published = [
            (10, 80_000, 100_001, 6),
            (15, 80_000, 150_001, 10),
            (20, 80_000, 200_001, 13),
            (10, 45_402, 56_754, 6),
            (15, 45_402, 85_130, 10),
            (20, 45_402, 113_506, 13),
        ];
        for (bits, keys, bytes, probes) in published {
            let bits_per_key = BitsPerKey::whole(bits);
            assert_eq!(bits_per_key.filter_len(keys), Ok(bytes));
            assert_eq!(bits_per_key.probe_count(), probes);
        }
    }

    #[test]
    fn small_filters_have_64_bits() {
        for (bits, keys) in [(0, 0), (0, 1_000_000), (10, 0), (10, 1), (10, 6), (64, 1)] {
            assert_eq!(
                BitsPerKey::whole(bits).filter_len(keys),
                Ok(9),
                "{bits} bits per key, {keys} keys"
            );
        }
        assert_eq!(BitsPerKey::whole(10).filter_len(7), Ok(10));
        assert_eq!(BitsPerKey::whole(65).filter_len(1), Ok(10));
    }

    #[test]
    fn only_numbers_in_range_are_bits_per_key() {
        let outside = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -1.0,
            -f64::MIN_POSITIVE,
            4_294_967_295.5,
            1e300,
        ];
        for given in outside {
            assert!(
                matches!(
                    BitsPerKey::fractional(given),
                    Err(Error::BitsPerKeyOutOfRange { .. })
                ),
                "{given} was accepted"
            );
        }
        let negative_zero = BitsPerKey::fractional(-0.0).unwrap();
        assert!(negative_zero.get().is_sign_positive());
        assert_eq!(negative_zero.filter_len(1_000_000), Ok(9));
        assert_eq!(BitsPerKey::try_from(10.0), Ok(BitsPerKey::from(10)));
    }

    #[test]
    fn sizes_beyond_the_platform_are_errors() {
        let error = BitsPerKey::MAX.filter_len(usize::MAX).unwrap_err();
        assert_eq!(
            error,
            Error::FilterTooLarge {
                keys: usize::MAX as u64,
                bits_per_key: 4_294_967_295.0
            }
        );
        // The product fits into 64 bits, but not once it is rounded up to whole bytes.
        assert!(BitsPerKey::whole(1).filter_bits(u64::MAX).is_err());
        assert_eq!(BitsPerKey::whole(1).filter_bits(u64::MAX - 7), Ok(u64::MAX - 7));
    }

    #[test]
    fn a_product_of_doubles_would_be_wrong_here() {
        // 0.1 is stored slightly above one tenth: the exact product lies above the whole number, 0.3 below.
        assert_eq!(BitsPerKey(0.1).times(10_000), 1_000);
        assert_eq!(BitsPerKey(0.3).times(10_000), 2_999);
        let nearly_two = f64::from_bits(2.0_f64.to_bits() - 1);
        assert_eq!(
            BitsPerKey(nearly_two).times(u64::MAX),
            2 * u128::from(u64::MAX) - 4096
        );
        assert_eq!(BitsPerKey(f64::MIN_POSITIVE / 2.0).times(u64::MAX), 0);
        assert_eq!(
            BitsPerKey::MAX.times(u64::MAX),
            u128::from(u64::MAX) * u128::from(u32::MAX)
        );
    }
}
