//! The bits of a link, and the positions of a key in them.

use hashzoo::{REDISBLOOM_SEED, murmur64a};

use super::parameters::RedisBloomLink;
use crate::bits::Bits;
use crate::error::Error;
use crate::modulus::Modulus;
use crate::unrolled::{self, Steps};

/// The hash of a key, for filters that are asked or filled with keys that are hashed already.
///
/// ```
/// use membership_filters::{RedisBloomFilter, RedisBloomHash, RedisBloomParameters};
///
/// let mut filter = RedisBloomFilter::new(&RedisBloomParameters::new(100, 0.01))?;
/// let hash = RedisBloomHash::of(b"apple");
/// filter.insert_hash(hash)?;
/// assert!(filter.contains(b"apple"));
/// assert_eq!(RedisBloomHash::assume(hash.to_u128()), hash);
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RedisBloomHash {
    first: u64,
    stride: u64,
}

impl RedisBloomHash {
    /// Hashes a key: MurmurHash64A under RedisBloom's seed, and under the value of that.
    #[inline]
    #[must_use]
    pub const fn of(key: &[u8]) -> Self {
        let first = murmur64a(key, REDISBLOOM_SEED);
        let stride = murmur64a(key, first);
        Self { first, stride }
    }

    /// Returns the hash as a number.
    #[must_use]
    pub const fn to_u128(self) -> u128 {
        (self.first as u128) << 64 | self.stride as u128
    }

    /// Takes a number as the hash of a key. With another than that of [`to_u128`](Self::to_u128), a filter denies the key.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
    pub const fn assume(number: u128) -> Self {
        let (first, stride) = ((number >> 64) as u64, number as u64);
        Self { first, stride }
    }
}

/// The positions of a key: `(first + i * stride) mod 2^64 mod bits`, for i from 0. Each is made of the one before by an
/// addition, because a remainder of 64 bits costs more than the rest of a probe.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Probes {
    sum: u64,
    stride: u64,
    position: u64,
    /// What is added to the position, if the sum does not overflow and if it does.
    steps: [u64; 2],
}

impl From<(RedisBloomHash, Modulus, u64)> for Probes {
    #[inline]
    fn from((hash, bits, overflow): (RedisBloomHash, Modulus, u64)) -> Self {
        let step = remainder(hash.stride, bits);
        Self {
            sum: hash.first,
            stride: hash.stride,
            position: remainder(hash.first, bits),
            steps: [step, reduced(step + bits.get() - overflow, bits)],
        }
    }
}

impl Steps for Probes {
    #[inline]
    fn step(&mut self, bits: Modulus) -> u64 {
        let position = self.position;
        let (sum, overflows) = self.sum.overflowing_add(self.stride);
        self.sum = sum;
        self.position = reduced(position + self.steps[usize::from(overflows)], bits);
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
    pub(super) bits: Bits<u8>,
    /// The number of insertions that changed bits.
    pub(super) len: u64,
    /// The remainder of 2^64 by the number of bits.
    overflow: u64,
}

impl Link {
    /// Makes an empty link.
    pub(super) fn new(shape: RedisBloomLink) -> Result<Self, Error> {
        // Bits beyond memory are refused.
        let bytes = usize::try_from(shape.bits / 8).unwrap_or(usize::MAX);
        Ok(Self::of(shape, Bits::zeros(bytes)?, 0))
    }

    /// Makes a link of its bits, as many as the shape says.
    pub(super) fn of(shape: RedisBloomLink, bits: Bits<u8>, len: u64) -> Self {
        let modulus = bits.modulus();
        Self {
            overflow: reduced(remainder(u64::MAX, modulus) + 1, modulus),
            shape,
            bits,
            len,
        }
    }

    /// Returns the number of keys that still fit in.
    pub(super) fn room(&self) -> u64 {
        self.shape.capacity - self.len
    }

    #[inline]
    pub(super) fn contains(&self, hash: RedisBloomHash) -> bool {
        let (probes, modulus) = (self.shape.probe_count, self.bits.modulus());
        unrolled::every(self.probes(hash), probes, modulus, |at| self.bits.test(at))
    }

    /// Inserts a key. Returns true if that changed bits.
    #[inline]
    pub(super) fn insert(&mut self, hash: RedisBloomHash) -> bool {
        let (probes, modulus) = (self.shape.probe_count, self.bits.modulus());
        let is_new = unrolled::any(self.probes(hash), probes, modulus, |at| self.bits.set(at));
        self.len += u64::from(is_new);
        is_new
    }

    #[inline]
    fn probes(&self, hash: RedisBloomHash) -> Probes {
        self.start()(&hash).into()
    }

    /// Returns what the positions of a key are made of, by its hash.
    #[inline]
    pub(super) fn start(&self) -> impl Fn(&RedisBloomHash) -> (RedisBloomHash, Modulus, u64) + use<> {
        let (modulus, overflow) = (self.bits.modulus(), self.overflow);
        move |&hash| (hash, modulus, overflow)
    }

    /// Returns the probability that an absent key seems to be in the link.
    pub(super) fn rate(&self) -> f64 {
        let fill = self.bits.ones() as f64 / self.shape.bits as f64;
        libm::pow(fill, self.shape.probe_count.into())
    }
}
