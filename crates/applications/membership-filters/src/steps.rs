//! The rules by which formats make positions of a key's hash.

use alloc::vec::Vec;

use filter_policy::sizing::DoubleHashing;

use crate::hash::Hash128;
use crate::modulus::Modulus;

/// The rule of a filter. Sums wrap at 2^64. A sum that is "flipped by its sign" has all bits flipped if it is negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Rule {
    /// Guava's older one, and that of Spark's first version: `MURMUR128_MITZ_32` of `BloomFilterStrategies.java`, after
    /// Kirsch and Mitzenmacher, *Less Hashing, Same Performance: Building a Better Bloom Filter* (ESA 2006). For i from 1
    /// to k, `h1 + i * h2` in 32 bits, flipped by its sign, where `h1` and `h2` are the halves of the first 64 bits.
    Mitz32,
    /// Guava's `MURMUR128_MITZ_64`: for i from 0, `h1 + i * h2` without the top bit.
    Mitz64,
    /// That of Spark's second version: for i from 1 to k, `h1 * (2^31 - 1) + i * h2` of the same halves, flipped by its
    /// sign.
    Spark,
    /// That of RedisBloom: for i from 0, `h1 + i * h2`.
    RedisBloom,
}

/// Evaluates an expression in which `$number` is a constant, the number of the rule, so that loops are compiled for each
/// rule.
macro_rules! by_rule {
    ($rule:expr, $number:ident => $call:expr) => {
        $crate::steps::by_rule!(@ $rule, $number, $call, Mitz32 Mitz64 Spark RedisBloom)
    };
    (@ $rule:expr, $number:ident, $call:expr, $($kind:ident)*) => {
        match $rule {
            $($crate::steps::Rule::$kind => {
                const $number: u8 = $crate::steps::Rule::$kind as u8;
                $call
            })*
        }
    };
}
pub(crate) use by_rule;

impl Rule {
    /// By their numbers.
    const ALL: [Self; 4] = [Self::Mitz32, Self::Mitz64, Self::Spark, Self::RedisBloom];

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
        by_rule!(self, RULE => {
            let mut steps = Steps::<RULE>::start(hash);
            (0..probe_count).map(|_| steps.step(bits)).collect()
        })
    }
}

/// The positions of a key by the rule of this number.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Steps<const RULE: u8> {
    sum: u64,
    stride: u64,
}

impl<const RULE: u8> Steps<RULE> {
    const RULE: Rule = Rule::ALL[RULE as usize];

    /// Returns the steps of a key.
    #[expect(clippy::cast_possible_truncation, reason = "the halves are meant")]
    #[inline]
    pub(crate) const fn start(hash: Hash128) -> Self {
        let Hash128 { h1, h2 } = hash;
        let (low, high) = (h1 as u32, (h1 >> 32) as u32);
        let (sum, stride) = match Self::RULE {
            Rule::Mitz32 => (low as u64, high as u64),
            Rule::Spark => {
                let (low, high) = (low.cast_signed() as i64, high.cast_signed() as i64);
                // The product of two numbers of 32 bits cannot overflow.
                let sum = low * i32::MAX as i64;
                (sum.cast_unsigned(), high.cast_unsigned())
            }
            Rule::Mitz64 | Rule::RedisBloom => (h1, h2),
        };
        Self { sum, stride }
    }

    /// Returns the next position in a filter of so many bits.
    #[expect(clippy::cast_possible_truncation, reason = "the sum of `Mitz32` has 32 bits")]
    #[inline]
    pub(crate) fn step(&mut self, bits: Modulus) -> u64 {
        match Self::RULE {
            Rule::Mitz32 => {
                // Only the low half counts.
                self.next();
                let sum = (self.sum as u32).cast_signed();
                // Flip all bits of a negative number.
                bits.remainder((sum ^ (sum >> 31)).cast_unsigned().into())
            }
            Rule::Mitz64 => bits.remainder(self.next()),
            Rule::Spark => {
                self.next();
                let sum = self.sum.cast_signed();
                bits.remainder((sum ^ (sum >> 63)).cast_unsigned())
            }
            Rule::RedisBloom => bits.remainder_of_any(self.next()),
        }
    }

    /// Adds the stride, and returns the sum before.
    #[inline]
    const fn next(&mut self) -> u64 {
        let before = self.sum;
        self.sum = before.wrapping_add(self.stride);
        before
    }
}
