//! The size of a chain and of its links, as RedisBloom computes them.
//!
//! Independent of keys, hashes and stored bytes.

use crate::error::Error;
use crate::guava::parameters::whole_words;
use crate::java_math::log;
use crate::steps::Rule;

/// The squared natural logarithm of 2, and the logarithm, to as many digits as in RedisBloom.
const LN_2_SQUARED: f64 = 0.480_453_013_918_201;
#[expect(clippy::approx_constant, reason = "RedisBloom has fewer digits")]
pub(super) const LN_2: f64 = 0.693_147_180_559_945;

/// The rate that stands for all higher ones.
const MAX_RATE: f64 = 0.25;

/// The largest factor that a server takes: its setting `bf-expansion-factor` ends here.
pub(super) const MAX_EXPANSION: u32 = 32_768;

/// The parameters of a [`BloomFilter`](super::BloomFilter): those of `BF.RESERVE`.
///
/// ```
/// use membership_filters::redisbloom::Parameters;
///
/// let parameters = Parameters::new(1_000, 0.01); // BF.RESERVE key 0.01 1000
/// // The first link has half of the rate, and the further ones have the rest.
/// assert_eq!(parameters.first_link()?.probe_count, 8);
/// let fixed = parameters.non_scaling(); // BF.RESERVE key 0.01 1000 NONSCALING
/// assert_eq!(fixed.first_link()?.probe_count, 7);
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    pub(crate) capacity: u64,
    pub(crate) rate: f64,
    pub(crate) expansion: u32,
    pub(crate) is_scaling: bool,
}

impl Parameters {
    /// Returns parameters of a chain whose first link is for `capacity` keys, at least 1. `rate` is the false-positive rate of
    /// the whole chain, above 0 and below 1; a rate above 0.25 counts as 0.25, as in Redis 8. (Redis Stack 7 has no such limit.)
    pub const fn new(capacity: u64, rate: f64) -> Self {
        Self {
            capacity,
            rate,
            expansion: 2,
            is_scaling: true,
        }
    }

    /// Sets the factor between the capacities of links, at most 32768; 2 if nothing is said. With 0 the chain does not scale. With 1 it
    /// ends after some thousand links: each has half the rate of the one before.
    #[must_use]
    pub const fn expansion(mut self, factor: u32) -> Self {
        (self.expansion, self.is_scaling) = (factor, factor > 0);
        self
    }

    /// Makes the chain refuse keys beyond its capacity instead of opening another link.
    #[must_use]
    pub const fn non_scaling(mut self) -> Self {
        (self.expansion, self.is_scaling) = (2, false);
        self
    }

    /// Returns the first link.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::Error::InvalidArgument) when a parameter is out of its range, [`TooLarge`](crate::Error::TooLarge)
    /// for a link of more than 16 GiB.
    pub fn first_link(&self) -> Result<Link, Error> {
        if self.expansion > MAX_EXPANSION {
            let range = format_args!("between 0 and {MAX_EXPANSION}");
            return Err(Error::argument("the expansion", range, self.expansion));
        }
        Error::check_rate(self.rate)?;
        let rate = self.rate.min(MAX_RATE);
        Link::new(self.capacity, if self.is_scaling { rate * 0.5 } else { rate })
    }
}

/// A link of a chain: a Bloom filter.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Link {
    /// The number of keys that it is for.
    pub capacity: u64,
    /// The false-positive rate of the full link.
    pub rate: f64,
    /// The number of bits for a key, before whole words.
    pub bits_per_key: f64,
    /// The number of bits, a multiple of 64.
    pub bits: u64,
    /// The probe count k.
    pub probe_count: u32,
    /// The logarithm of the bits in a link of RedisBloom 1 and 2.0, which rounded up to a power of two; 0 in others.
    pub log2_bits: u8,
}

impl Link {
    /// Returns the rate of the link with this many different keys. It is above `rate` in small links, because the probes of
    /// a key are not independent.
    pub fn rate_at(&self, len: u64) -> f64 {
        Rule::RedisBloom.rate(self.bits, len as f64, self.probe_count)
    }
}

/// The least and the most powers of two that links have here: those below are smaller than the word that holds them.
pub(super) const LOG2_BITS: (u64, u64) = (6, 37);

impl Link {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the casts round down and stop at the limits, as RedisBloom's"
    )]
    pub(super) fn new(capacity: u64, rate: f64) -> Result<Self, Error> {
        if capacity == 0 {
            return Err(Error::argument("the capacity", "at least 1", capacity));
        }
        Error::check_rate(rate)?;
        let bits_per_key = -log(rate) / LN_2_SQUARED;
        let bits = ((capacity as f64 * bits_per_key) as u64).max(1);
        let bits = whole_words(bits, format_args!("for {capacity} keys at a rate of {rate:e}"))?;
        Ok(Self {
            capacity,
            rate,
            bits_per_key,
            bits: bits.get(),
            probe_count: libm::ceil(LN_2 * bits_per_key) as u32,
            log2_bits: 0,
        })
    }

    /// Returns a link as RedisBloom 1 and 2.0 made it, and as later releases go on with its chains: of as many bits as the next
    /// power of two, and for as many keys more as these are for.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the casts round down and stop at the limits, as RedisBloom's"
    )]
    pub(super) fn rounded(capacity: u64, rate: f64) -> Result<Self, Error> {
        let link = Self::new(capacity, rate)?;
        let needed = capacity as f64 * link.bits_per_key;
        let log2_bits = (libm::ilogb(needed) + 1).clamp(LOG2_BITS.0 as i32, 63) as u8;
        let bits = whole_words(1 << log2_bits, format_args!("for {capacity} keys"))?.get();
        let more = ((bits as f64 - needed) as u64) as f64 / link.bits_per_key;
        Ok(Self {
            capacity: capacity.saturating_add(more as u64),
            bits,
            log2_bits,
            ..link
        })
    }
}
