//! Remainders of many 32-bit values by one divisor.

/// A divisor prepared for many remainders.
///
/// Remainders are computed by multiplication: the fraction of `value / divisor`, in units of 2^-64 and rounded up, is
/// long enough for an exact remainder (Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019).
/// Division takes several times as long.
#[derive(Debug, Clone, Copy)]
pub(super) struct Remainder {
    divisor: u64,
    reciprocal: u64,
}

impl Remainder {
    /// Prepares this divisor, which must not be 0.
    pub(super) fn by(divisor: u32) -> Self {
        let divisor = u64::from(divisor);
        Self {
            divisor,
            // For divisor 1, 2^64 wraps to 0, so that every remainder is 0.
            reciprocal: (u64::MAX / divisor).wrapping_add(1),
        }
    }

    /// Returns the remainder of `value`, below the divisor.
    #[inline]
    pub(super) fn of(self, value: u32) -> u32 {
        let fraction = self.reciprocal.wrapping_mul(u64::from(value));
        ((u128::from(fraction) * u128::from(self.divisor)) >> 64) as u32
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn as_by_division_around_multiples() {
        for divisor in [
            1,
            2,
            3,
            10,
            65_521,
            10_000_000,
            0x8000_0000,
            0xffff_fffb,
            u32::MAX,
        ] {
            let remainder = Remainder::by(divisor);
            for multiple in [0, 1, 2, u32::MAX / divisor / 2, u32::MAX / divisor] {
                for near in [-2_i64, -1, 0, 1, 2] {
                    let value = (i64::from(multiple) * i64::from(divisor) + near) as u32;
                    assert_eq!(remainder.of(value), value % divisor, "{value} by {divisor}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(crate::property::config())]

        #[test]
        fn as_by_division(divisor in 1_u32.., shift in 0_u32..32, value in any::<u32>()) {
            let divisor = (divisor >> shift).max(1);
            let remainder = Remainder::by(divisor);
            prop_assert_eq!(remainder.of(value), value % divisor);
        }
    }
}
