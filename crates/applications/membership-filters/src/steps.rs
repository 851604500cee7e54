//! The rules by which formats make positions of a key's hash.

use alloc::vec::Vec;

use filter_policy::sizing::DoubleHashing;

use crate::hash::Hash128;
use crate::modulus::Modulus;
use crate::unrolled::Steps;

/// The rule of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Guava's older one, and that of Spark's first version.
    Mitz32,
    /// Guava's.
    Mitz64,
    /// That of Spark's second version.
    Spark,
    /// That of RedisBloom.
    RedisBloom,
}

/// Evaluates an expression in which `$steps` is the type of the rule's positions.
macro_rules! by_rule {
    ($rule:expr, $steps:ident => $call:expr) => {
        $crate::steps::by_rule!(@ $rule, $steps, $call, Mitz32 Mitz64 Spark RedisBloom)
    };
    (@ $rule:expr, $steps:ident, $call:expr, $($kind:ident)*) => {
        match $rule {
            $($crate::steps::Rule::$kind => {
                type $steps = $crate::steps::$kind;
                $call
            })*
        }
    };
}
pub(crate) use by_rule;

impl Rule {
    /// Returns the false-positive rate of a filter with this many bits and keys.
    pub(crate) fn rate(self, bits: u64, keys: f64, probe_count: u32) -> f64 {
        let hashing = match self {
            Self::Mitz32 => DoubleHashing::Mirrored,
            Self::Mitz64 => DoubleHashing::Modulo(63),
            Self::Spark => DoubleHashing::Unbounded,
            Self::RedisBloom => DoubleHashing::Modulo(64),
        };
        // Only a filter without bits is refused.
        hashing.rate(bits, keys, probe_count).unwrap_or(1.0)
    }

    /// Returns the positions of a key, in order.
    pub(crate) fn positions(self, hash: Hash128, probe_count: u32, bits: Modulus) -> Vec<u64> {
        by_rule!(self, S => {
            let mut steps = S::start(hash, bits);
            (0..probe_count).map(|_| steps.step(bits)).collect()
        })
    }
}

/// The two halves of the hash's first 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "the halves are meant")]
const fn halves(hash: Hash128) -> [u32; 2] {
    [hash.h1 as u32, (hash.h1 >> 32) as u32]
}

/// `MURMUR128_MITZ_32` of `BloomFilterStrategies.java`, after Kirsch and Mitzenmacher, *Less Hashing, Same Performance:
/// Building a Better Bloom Filter* (ESA 2006): for i from 1 to k, `h1 + i * h2` in 32 bits; all bits of a negative sum are
/// flipped.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mitz32 {
    combined: u32,
    stride: u32,
}

impl Steps for Mitz32 {
    #[inline]
    fn start(hash: Hash128, _: Modulus) -> Self {
        let [combined, stride] = halves(hash);
        Self { combined, stride }
    }

    #[inline]
    fn step(&mut self, bits: Modulus) -> u64 {
        self.combined = self.combined.wrapping_add(self.stride);
        // Flip all bits of a negative number.
        let flip = (self.combined.cast_signed() >> 31).cast_unsigned();
        bits.remainder(u64::from(self.combined ^ flip))
    }
}

/// `MURMUR128_MITZ_64` of `BloomFilterStrategies.java`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mitz64 {
    combined: u64,
    stride: u64,
}

impl Steps for Mitz64 {
    #[inline]
    fn start(hash: Hash128, _: Modulus) -> Self {
        let (combined, stride) = (hash.h1, hash.h2);
        Self { combined, stride }
    }

    #[inline]
    fn step(&mut self, bits: Modulus) -> u64 {
        let dividend = self.combined;
        self.combined = self.combined.wrapping_add(self.stride);
        bits.remainder(dividend)
    }
}

/// A sum in 64 bits that begins with `h1 * (2^31 - 1)` and grows by `h2`; all bits of a negative sum are flipped for its
/// position, but not for the next sum.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spark {
    combined: i64,
    stride: i64,
}

impl Steps for Spark {
    #[inline]
    fn start(hash: Hash128, _: Modulus) -> Self {
        let [h1, h2] = halves(hash).map(|half| i64::from(half.cast_signed()));
        Self {
            // The product of two numbers of 32 bits cannot overflow.
            combined: h1 * i64::from(i32::MAX),
            stride: h2,
        }
    }

    #[inline]
    fn step(&mut self, bits: Modulus) -> u64 {
        self.combined = self.combined.wrapping_add(self.stride);
        bits.remainder((self.combined ^ (self.combined >> 63)).unsigned_abs())
    }
}

/// `(h1 + i * h2) mod 2^64 mod bits`, for i from 0.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RedisBloom {
    sum: u64,
    stride: u64,
}

impl Steps for RedisBloom {
    #[inline]
    fn start(hash: Hash128, _: Modulus) -> Self {
        let (sum, stride) = (hash.h1, hash.h2);
        Self { sum, stride }
    }

    #[inline]
    fn step(&mut self, bits: Modulus) -> u64 {
        let dividend = self.sum;
        self.sum = self.sum.wrapping_add(self.stride);
        bits.remainder_of_any(dividend)
    }
}
