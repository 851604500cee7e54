//! What the links of a growing filter are like.
//!
//! Knows nothing of elements, hashes or stored bytes.

use core::f64::consts::LN_2;

use guava_bloom::{MAX_WORDS, Parameters};

use crate::error::BuildError;
use crate::limits::MAX_GROWTH;

/// The least capacity of a link that tightens: a smaller one could be full before its first element is in.
const MIN_TIGHTENING_CAPACITY: u64 = 8;

/// The least factor between probabilities. It bounds the size of the next link as well: see `least_bits`.
const MIN_RATIO: f64 = 0.1;

/// How much more often than `(ones / bits)^k` a link errs, times its bits.
///
/// Guava's positions are multiples of one stride. An element whose stride has a small order modulo the bits has few
/// different positions, and elements of related strides share many; both happen to about one element in as many as
/// there are bits (for the first, see Kirsch and Mitzenmacher, "Less Hashing, Same Performance", ESA 2006). Measured:
/// up to 1.4 where the bits are a power of two, up to 0.9 elsewhere, at 2 to 27 probes in filters of 64 to 12,288 bits that
/// are half full and have 2^k bits or more; with fewer the excess grows to 1.85, but links have more.
const EXCESS: f64 = 1.5;

/// The part of a link's share of the probability that this excess may take.
const EXCESS_PART: f64 = 0.75;

/// A link has room for this part more than its capacity, so that neither chance nor the rounding of the probe count
/// opens another before the capacity is reached.
const ROOM_PART: i128 = 32;

/// Up to so many bits, two mebibytes, the first link is made larger than its capacity asks for.
const MAX_RAISED_BITS: f64 = 16_777_216.0;

/// The most bits that a Bloom filter can have.
const MAX_BITS: f64 = MAX_WORDS as f64 * 64.0;

/// How a growing filter goes on when a link is full.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum GrowthRule {
    /// Each link is for `growth` times as many elements as the one before it, and errs `ratio` times as often. The
    /// first errs with `(1 - ratio)` of the probability that was asked for; so all links together, however many, stay
    /// under it.
    ///
    /// Source: Almeida, Baquero, Preguica, Hutchison, "Scalable Bloom Filters" (Information Processing Letters 101(6),
    /// 2007), which advises growth by 2 to 4 and ratios of 0.8 to 0.9. A ratio near 1 costs bits in the first links, a
    /// small one in the later.
    Tightening {
        /// The factor between capacities, 1 to 16.
        growth: u32,
        /// The factor between probabilities, from 0.1 to below 1.
        ratio: f64,
    },
    /// Each link is like the first, made for the probability that was asked for, and full as soon as more than half of
    /// its bits are ones. It then errs with probability 2^-k at k probes, and n full links with
    /// `1 - (1 - 2^-k)^n`, nearly n times as often: the rate has no bound.
    SameSize,
}

impl Default for GrowthRule {
    /// Growth by 2 at a ratio of 0.8.
    fn default() -> Self {
        Self::Tightening {
            growth: 2,
            ratio: 0.8,
        }
    }
}

/// The first capacity of a growing filter, its false-positive probability, and its rule.
///
/// ```
/// use membership_filters::{GrowingParameters, GrowthRule};
///
/// let parameters = GrowingParameters::new(10_000, 0.001)?;
/// assert_eq!(parameters.rule(), GrowthRule::Tightening { growth: 2, ratio: 0.8 });
///
/// let faster = GrowthRule::Tightening { growth: 4, ratio: 0.5 };
/// let parameters = GrowingParameters::with_rule(10_000, 0.001, faster)?;
/// assert_eq!(parameters.capacity(), 10_000);
/// # Ok::<(), membership_filters::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GrowingParameters {
    capacity: u64,
    fpp: f64,
    rule: GrowthRule,
}

/// The shape of a link.
pub(crate) struct LinkShape {
    pub(crate) parameters: Parameters,
    /// The link is full when more bits than these are ones.
    pub(crate) limit: u64,
}

impl GrowingParameters {
    /// A first link for `capacity` elements, this probability for the whole chain, and the default rule.
    ///
    /// # Errors
    ///
    /// As of [`with_rule`](Self::with_rule).
    pub fn new(capacity: u64, fpp: f64) -> Result<Self, BuildError> {
        Self::with_rule(capacity, fpp, GrowthRule::default())
    }

    /// A first link for `capacity` elements, with this rule. With a rule that tightens, the probability is that of
    /// the whole chain, and otherwise that of a link.
    ///
    /// A small capacity may be raised. With a rule that tightens, a link of *m* bits cannot err less often than about
    /// once in *m* (Guava's positions have that limit), so that the first link has at least `2 / (fpp * (1 - ratio))`
    /// bits: 1250 bytes at a probability of 0.001 and the default ratio. Where that is more than 2 MiB, the capacity is
    /// refused instead. With the other rule 0 counts as 1.
    ///
    /// # Errors
    ///
    /// [`BuildError::FppOutOfRange`], [`BuildError::Growth`], [`BuildError::Tightening`],
    /// [`BuildError::FppUnreachable`] below 7.3e-11 at the default ratio, [`BuildError::CapacityTooSmall`], and
    /// [`BuildError::Bloom`] where no Bloom filter has the first link's parameters.
    pub fn with_rule(capacity: u64, fpp: f64, rule: GrowthRule) -> Result<Self, BuildError> {
        if !(fpp > 0.0 && fpp < 1.0) {
            return Err(BuildError::FppOutOfRange { given: fpp });
        }
        if let GrowthRule::Tightening { growth, ratio } = rule {
            if growth == 0 || growth > MAX_GROWTH {
                return Err(BuildError::Growth { given: growth });
            }
            if !(MIN_RATIO..1.0).contains(&ratio) {
                return Err(BuildError::Tightening { given: ratio });
            }
        }
        let parameters = Self { capacity, fpp, rule };
        parameters.link(0)?;
        Ok(parameters)
    }

    /// The elements that the first link is for.
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The false-positive probability that was asked for: of the chain where it tightens, otherwise of a link.
    pub const fn fpp(&self) -> f64 {
        self.fpp
    }

    /// How the chain goes on.
    pub const fn rule(&self) -> GrowthRule {
        self.rule
    }

    /// Bits and probes of the first link.
    ///
    /// # Errors
    ///
    /// None: those of [`with_rule`](Self::with_rule) have been met before.
    pub fn first_link(&self) -> Result<Parameters, BuildError> {
        Ok(self.link(0)?.parameters)
    }

    /// What the link at this place of the chain is like; the first has place 0.
    pub(crate) fn link(&self, place: usize) -> Result<LinkShape, BuildError> {
        match self.rule {
            GrowthRule::SameSize => {
                let parameters = Parameters::new(self.capacity, self.fpp)?;
                Ok(LinkShape {
                    limit: parameters.bit_size() / 2,
                    parameters,
                })
            }
            GrowthRule::Tightening { growth, ratio } => {
                let first = self.capacity.max(MIN_TIGHTENING_CAPACITY);
                // Too large a number is refused by `Parameters`, which name it.
                let factor = i128::from(growth).saturating_pow(u32::try_from(place).unwrap_or(u32::MAX));
                let capacity = i128::from(first).saturating_mul(factor);
                let share = self.fpp * (1.0 - ratio) * libm::pow(ratio, place as f64);
                let least = least_capacity(share);
                let bits = least_bits(share);
                if place == 0 && bits > MAX_BITS {
                    return Err(BuildError::FppUnreachable {
                        given: self.fpp,
                        lowest: least_bits(1.0) / (MAX_BITS * (1.0 - ratio)),
                    });
                }
                if place == 0 && least > capacity && bits >= MAX_RAISED_BITS {
                    return Err(BuildError::CapacityTooSmall {
                        given: self.capacity,
                        least: u64::try_from(least).unwrap_or(u64::MAX),
                        fpp: self.fpp,
                    });
                }
                let room = capacity.saturating_add(capacity / ROOM_PART).max(least);
                let parameters = Parameters::new(room, share)?;
                Ok(LinkShape {
                    limit: tightening_limit(&parameters),
                    parameters,
                })
            }
        }
    }
}

/// The bits that a link must have for the excess to take no more than its part of this share.
fn least_bits(share: f64) -> f64 {
    EXCESS / (EXCESS_PART * share)
}

/// The insertions for which Guava's formula gives that many bits.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is whole and positive; a cast stops at the limits"
)]
fn least_capacity(share: f64) -> i128 {
    libm::ceil(least_bits(share) * LN_2 * LN_2 / -libm::log(share)) as i128
}

/// The largest number of ones at which one element more still leaves the link's probability, `(ones / bits)^k` and the
/// excess, within its share.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is not negative and at most the number of bits; the cast rounds down"
)]
fn tightening_limit(parameters: &Parameters) -> u64 {
    let probes = parameters.probes();
    let bits = parameters.bit_size() as f64;
    let fill = libm::pow(parameters.fpp() - EXCESS / bits, 1.0 / f64::from(probes));
    let ones = (bits * fill) as u64;
    ones.saturating_sub(probes.into())
}
