//! The positions of Spark's filters.

use super::item::HashPair;
use crate::guava::Mitz32;
use crate::modulus::Modulus;
use crate::unrolled::Steps;

/// Version 1: for i from 1 to k, `h1 + i * h2` in 32 bits; all bits of a negative sum are flipped. Guava's older strategy does
/// the same with the halves of its hash.
impl From<HashPair> for Mitz32 {
    #[inline]
    fn from(HashPair { h1, h2, .. }: HashPair) -> Self {
        let (combined, stride) = (h1.cast_unsigned(), h2.cast_unsigned());
        Self { combined, stride }
    }
}

/// Version 2: a sum in 64 bits that begins with `h1 * (2^31 - 1)` and grows by `h2`; all bits of a negative sum are
/// flipped for its position, but not for the next sum.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StepsV2 {
    combined: i64,
    stride: i64,
}

impl From<HashPair> for StepsV2 {
    #[inline]
    fn from(HashPair { h1, h2, .. }: HashPair) -> Self {
        Self {
            // The product of two numbers of 32 bits cannot overflow.
            combined: i64::from(h1) * i64::from(i32::MAX),
            stride: h2.into(),
        }
    }
}

impl Steps for StepsV2 {
    #[inline]
    fn step(&mut self, bits: Modulus) -> u64 {
        self.combined = self.combined.wrapping_add(self.stride);
        bits.remainder((self.combined ^ (self.combined >> 63)).unsigned_abs())
    }
}
