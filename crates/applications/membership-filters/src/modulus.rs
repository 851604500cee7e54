//! Remainders by a fixed divisor, with multiplications instead of a division.
//!
//! Knows nothing of hashes or filters.

/// A divisor from 1 to 2^63 - 1, prepared so that the remainder of a number below 2^63 takes two multiplications.
///
/// A position in a filter is a remainder by its number of bits, and a division costs more than the rest of a probe. The
/// result is exact for every dividend that Guava's positions can have: those are non-negative Java `long`s.
///
/// ```
/// use membership_filters::Modulus;
///
/// let bits = Modulus::new(191_701_184).unwrap();
/// assert_eq!(bits.get(), 191_701_184);
/// assert_eq!(Modulus::new(0), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Modulus {
    divisor: u64,
    /// 2^(63 + shift) / divisor, rounded up.
    reciprocal: u64,
    /// The base-2 logarithm of the divisor, rounded up.
    shift: u32,
}

impl core::fmt::Debug for Modulus {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Debug::fmt(&self.divisor, f)
    }
}

impl Modulus {
    /// The largest divisor, and the largest dividend.
    pub(crate) const MAX: u64 = i64::MAX as u64;

    /// Prepares a divisor. Returns `None` if it is 0 or above `i64::MAX`.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "2^shift / 2 < divisor <= 2^shift, and shift is at most 63, so the quotient is below 2^64"
    )]
    pub const fn new(divisor: u64) -> Option<Self> {
        if divisor == 0 || divisor > Self::MAX {
            return None;
        }
        let shift = u64::BITS - (divisor - 1).leading_zeros();
        Some(Self {
            divisor,
            reciprocal: (1_u128 << (63 + shift)).div_ceil(divisor as u128) as u64,
            shift,
        })
    }

    /// Returns the divisor.
    #[inline]
    pub const fn get(self) -> u64 {
        self.divisor
    }

    /// Returns `dividend % divisor`. The dividend's top bit is ignored, as Guava ignores the sign.
    ///
    /// The quotient is exact: rounding makes the reciprocal too large by less than 1, and so the quotient, in units of
    /// 2^-shift, too large by less than dividend / 2^63 < 1 (Granlund and Montgomery, *Division by Invariant Integers
    /// using Multiplication*, PLDI 1994, theorem 4.2 with N = 63).
    #[inline]
    pub(crate) const fn remainder(self, dividend: u64) -> u64 {
        // The shift drops the top bit, and makes up for the reciprocal's scale of 2^63 instead of 2^64.
        let upper = ((dividend << 1) as u128 * self.reciprocal as u128) >> 64;
        let quotient = upper as u64 >> self.shift;
        (dividend & Self::MAX) - quotient * self.divisor
    }

    /// Returns `dividend % divisor` for a dividend of 64 bits. The divisor is at least 2.
    ///
    /// Twice the error of [`remainder`](Self::remainder) can make the quotient too large by 1, and the remainder negative.
    #[inline]
    pub(crate) fn remainder_of_any(self, dividend: u64) -> u64 {
        let upper = (u128::from(dividend) * u128::from(self.reciprocal)) >> 64;
        let quotient = upper as u64 >> (self.shift - 1);
        let remainder = dividend.wrapping_sub(quotient.wrapping_mul(self.divisor));
        // Wraps if the remainder is negative, which is the larger number then.
        remainder.min(remainder.wrapping_add(self.divisor))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::Modulus;

    #[test]
    fn edges_have_the_remainder_of_a_division() {
        let powers = (0..63).map(|exponent| 1_u64 << exponent);
        let mut edges = vec![3, 5, 7, 100, 21_895, 191_701_184, 64 * 0x7fff_ffff];
        edges.extend(powers.flat_map(|power| [power - 1, power, power + 1, power / 3, power / 3 * 2 + 1]));
        edges.extend([0, 1, 2].map(|less| Modulus::MAX - less));
        for &divisor in &edges {
            let Some(modulus) = Modulus::new(divisor) else {
                assert_eq!(divisor, 0);
                continue;
            };
            let last = Modulus::MAX / divisor * divisor;
            for dividend in edges.iter().copied().chain([last, last - 1]) {
                assert_eq!(
                    modulus.remainder(dividend),
                    dividend % divisor,
                    "{dividend} % {divisor}"
                );
                assert_eq!(modulus.remainder(dividend | 1 << 63), dividend % divisor);
            }
            let last = u64::MAX / divisor * divisor;
            let large = edges.iter().map(|less| u64::MAX - less);
            for dividend in edges.iter().copied().chain(large).chain([last, last - 1]) {
                if divisor > 1 {
                    assert_eq!(
                        modulus.remainder_of_any(dividend),
                        dividend % divisor,
                        "{dividend}"
                    );
                }
            }
        }
        assert_eq!(Modulus::new(Modulus::MAX + 1), None);
    }
}
