//! The number of bits that a filter has for each key.
//!
//! Independent of formats, keys and hashes.

use core::fmt;
use core::str::FromStr;

use crate::error::Error;

/// The number of bits that a filter has for each key: from 0 to 4,294,967,295, whole or not.
///
/// More bits per key mean fewer false positives: about 1 % at 10, 0.1 % at 15 in LevelDB's format. The
/// number is not stored with the filter and may change from one filter to the next; readers do not need it.
///
/// ```
/// use filter_policy::BitsPerKey;
///
/// const TEN: BitsPerKey = BitsPerKey::whole(10);
/// assert_eq!(TEN, 10.into());
/// assert_eq!(TEN, "10".parse()?);
/// assert_eq!(TEN.get(), 10.0);
///
/// let fraction = BitsPerKey::fractional(9.5)?;
/// assert_eq!(fraction, 9.5.try_into()?);
/// assert_eq!(fraction.to_string(), "9.5");
///
/// let error = BitsPerKey::fractional(-1.0).unwrap_err();
/// assert_eq!(error.to_string(), "bits per key must be between 0 and 4294967295, got -1");
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct BitsPerKey(f64);

impl BitsPerKey {
    /// The largest value, 4,294,967,295.
    pub(crate) const MAX: Self = Self::whole(u32::MAX);

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

    /// Returns the error for a filter of this many keys, of which there may be at most `most`.
    pub(crate) const fn too_large(self, keys: u64, most: u64) -> Error {
        Error::FilterTooLarge {
            keys,
            most,
            bits_per_key: self.0,
        }
    }

    /// Returns the highest number of keys that take at most so many bits.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "stops at the limits"
    )]
    pub(crate) fn most_keys(self, bits: u64) -> u64 {
        // Rounded, perhaps up.
        let quotient = (bits as f64 / self.0) as u64;
        quotient - u64::from(self.times(quotient) > bits.into())
    }

    /// Returns `floor(keys * bits_per_key)`, without rounding the product first.
    pub(crate) fn times(self, keys: u64) -> u128 {
        // A finite double is `mantissa * 2^exponent` with a 53-bit mantissa, so the product fits into 117 bits.
        // The exponent is at most -21 because the value is below 2^32.
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

impl fmt::Display for BitsPerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for BitsPerKey {
    type Err = Error;

    /// Reads a number such as `10` or `9.6`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let bits: f64 = text.parse().map_err(|_| Error::BitsPerKeyNotANumber)?;
        Self::fractional(bits)
    }
}

impl From<u32> for BitsPerKey {
    fn from(bits: u32) -> Self {
        Self::whole(bits)
    }
}

macro_rules! from_number {
    ($($number:ty),*) => {
        $(impl TryFrom<$number> for BitsPerKey {
            type Error = Error;

            fn try_from(bits: $number) -> Result<Self, Error> {
                // Numbers that a double does not hold are out of range.
                Self::fractional(bits as f64)
            }
        })*
    };
}

from_number!(f64, i32, i64, u64, usize);

#[cfg(test)]
mod tests;
