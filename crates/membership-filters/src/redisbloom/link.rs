//! The bits of a link, and the positions of a key in them.

use hashzoo::{REDISBLOOM_SEED, murmur64a};

use super::parameters::RedisBloomLink;
use crate::bits::Bits;
use crate::error::Error;
use crate::guava::shape;
use crate::modulus::Modulus;
use crate::unrolled::{self, Steps};

/// The hash of a key, for filters that are asked or filled with keys that are hashed already. With another number than that of
/// [`of`](Self::of), a filter denies the key.
///
/// ```
/// use membership_filters::{RedisBloomFilter, RedisBloomHash, RedisBloomParameters};
///
/// let mut filter = RedisBloomFilter::new(&RedisBloomParameters::new(100, 0.01))?;
/// filter.insert_hashed(RedisBloomHash::of(b"apple"))?;
/// assert!(filter.contains(b"apple"));
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RedisBloomHash(pub u128);

impl RedisBloomHash {
    /// Hashes a key: MurmurHash64A under RedisBloom's seed, in the upper half, and under the value of that.
    #[inline]
    #[must_use]
    pub const fn of(key: &[u8]) -> Self {
        let first = murmur64a(key, REDISBLOOM_SEED);
        Self((first as u128) << 64 | murmur64a(key, first) as u128)
    }
}

/// The positions of a key: `(first + i * stride) mod 2^64 mod bits`, for i from 0. Each is made of the one before by an
/// addition, because a remainder of 64 bits costs more than the rest of a probe.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Probes {
    sum: u64,
    stride: u64,
    position: u64,
    /// The first step is taken if the sum does not overflow: it is the stride. The second is taken if it does: it is the stride
    /// less 2^64.
    steps: (u64, u64),
}

impl From<(RedisBloomHash, Modulus)> for Probes {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
    fn from((RedisBloomHash(hash), bits): (RedisBloomHash, Modulus)) -> Self {
        let (sum, stride) = ((hash >> 64) as u64, hash as u64);
        let less = remainder(stride.wrapping_neg(), bits);
        Self {
            sum,
            stride,
            position: remainder(sum, bits),
            steps: (remainder(stride, bits), bits.get() - less),
        }
    }
}

impl Steps for Probes {
    #[inline]
    fn step(&mut self, bits: Modulus) -> u64 {
        let position = self.position;
        let (sum, overflows) = self.sum.overflowing_add(self.stride);
        self.sum = sum;
        // Both in registers: no branch could be predicted.
        let step = if overflows { self.steps.1 } else { self.steps.0 };
        self.position = reduced(position + step, bits);
        position
    }
}

/// Returns the remainder of a number below `2 * bits`.
#[inline]
fn reduced(number: u64, bits: Modulus) -> u64 {
    // The difference wraps if the number is already the remainder.
    number.min(number.wrapping_sub(bits.get()))
}

/// Returns the remainder of any number; that of [`Modulus`] is for 63 bits.
#[inline]
fn remainder(number: u64, bits: Modulus) -> u64 {
    reduced(bits.remainder(number >> 1) * 2 + (number & 1), bits)
}

/// A link with its keys.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Link {
    pub(super) shape: RedisBloomLink,
    /// As many as the shape says.
    pub(super) bits: Bits,
    /// The number of insertions that changed bits.
    pub(super) len: u64,
}

impl Link {
    /// Makes an empty link.
    pub(super) fn new(shape: RedisBloomLink) -> Result<Self, Error> {
        // Bits beyond memory are refused.
        let bits = Bits::zeros(usize::try_from(shape.bits / 64).unwrap_or(usize::MAX))?;
        Ok(Self { shape, bits, len: 0 })
    }

    #[inline]
    pub(super) fn contains(&self, hash: RedisBloomHash) -> bool {
        let (probes, bits) = (self.shape.probe_count, self.bits.modulus());
        unrolled::every(Probes::from((hash, bits)), probes, bits, |at| self.bits.test(at))
    }

    /// Inserts a key. Returns true if that changed bits.
    #[inline]
    pub(super) fn insert(&mut self, hash: RedisBloomHash) -> bool {
        let (probes, bits) = (self.shape.probe_count, self.bits.modulus());
        let is_new = unrolled::any(Probes::from((hash, bits)), probes, bits, |at| self.bits.set(at));
        self.len += u64::from(is_new);
        is_new
    }

    /// Returns the probability that an absent key seems to be in the link.
    pub(super) fn rate(&self) -> f64 {
        shape::rate(self.bits.ones(), self.shape.bits, self.shape.probe_count)
    }
}
