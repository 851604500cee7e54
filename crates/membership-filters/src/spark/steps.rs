//! The positions of Spark's filters.

use super::item::HashPair;
use crate::unrolled::Steps;

/// Version 1: for i from 1 to k, `h1 + i * h2` in 32 bits; all bits of a negative sum are flipped.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StepsV1 {
    combined: i32,
    stride: i32,
}

impl Steps for StepsV1 {
    type Hash = HashPair;

    #[inline]
    fn new(HashPair { h1, h2, .. }: HashPair) -> Self {
        let (combined, stride) = (h1, h2);
        Self { combined, stride }
    }

    #[inline]
    fn step(&mut self) -> u64 {
        self.combined = self.combined.wrapping_add(self.stride);
        u64::from((self.combined ^ (self.combined >> 31)).unsigned_abs())
    }
}

/// Version 2: a sum in 64 bits that begins with `h1 * (2^31 - 1)` and grows by `h2`; all bits of a negative sum are
/// flipped for its position, but not for the next sum.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StepsV2 {
    combined: i64,
    stride: i64,
}

impl Steps for StepsV2 {
    type Hash = HashPair;

    #[inline]
    fn new(HashPair { h1, h2, .. }: HashPair) -> Self {
        Self {
            // The product of two numbers of 32 bits cannot overflow.
            combined: i64::from(h1) * i64::from(i32::MAX),
            stride: h2.into(),
        }
    }

    #[inline]
    fn step(&mut self) -> u64 {
        self.combined = self.combined.wrapping_add(self.stride);
        (self.combined ^ (self.combined >> 63)).unsigned_abs()
    }
}
