//! The parameters of a growing filter and of its links.
//!
//! Independent of elements, hashes and stored bytes.

use core::f64::consts::LN_2;

use crate::bits::MAX_WORD_COUNT;
use crate::error::Error;
use crate::guava::Parameters;

/// The largest factor between capacities of neighbouring links: four times the paper's advice. This bound also limits
/// the size of the next link that stored bytes of a given length can request.
const MAX_GROWTH: u32 = 16;

/// The minimum capacity of a link that tightens: a smaller one could be full before its first element is inserted.
const MIN_TIGHTENING_CAPACITY: u64 = 8;

/// The minimum factor between probabilities. This bound also limits the size of the next link: see `least_bits`.
const MIN_RATIO: f64 = 0.1;

/// The highest rate of links of the same size, which gives them two probes. With one, an element has the same bit in
/// all links: the second would hold only bits that the first lacks, never be full, and the two would hold every bit.
const MAX_SAME_SIZE_RATE: f64 = 0.35;

/// The excess of a link's error rate over `(ones / bits)^k`, times the link's bits.
///
/// Guava's positions are multiples of one stride. An element whose stride has a small order modulo the number of bits
/// has few different positions, and elements of related strides share many; both happen to about one element in as many
/// as there are bits (for the first, see Kirsch and Mitzenmacher, "Less Hashing, Same Performance", ESA 2006).
/// Measured: up to 1.4 if the number of bits is a power of two, and up to 0.9 otherwise, at 2 to 27 probes in half-full
/// filters of 64 to 12,288 bits and at least 2^k bits; with fewer bits the excess grows to 1.85, but links have more.
const EXCESS: f64 = 1.5;

/// The part of a link's share of the probability that this excess may take.
const EXCESS_PART: f64 = 0.75;

/// A link has room for one part in this many beyond its capacity, so that neither chance nor the rounding of the probe
/// count opens another link before the capacity is reached.
const ROOM_PART: u64 = 32;

/// The number of bits, two mebibytes, up to which the first link is made larger than its capacity requires.
const MAX_RAISED_BITS: f64 = 16_777_216.0;

/// The maximum number of bits in a Bloom filter.
const MAX_BITS: f64 = MAX_WORD_COUNT as f64 * 64.0;

/// The rule by which a growing filter opens links.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum GrowthRule {
    /// Each link has room for `growth` times the elements of the previous one, at `ratio` times its rate. The first has
    /// `(1 - ratio)` of the requested rate, so all links together stay below it, however many there are.
    ///
    /// Source: Almeida, Baquero, Preguica, Hutchison, "Scalable Bloom Filters" (Information Processing Letters 101(6),
    /// 2007), which advises growth by 2 to 4 and ratios of 0.8 to 0.9. A ratio near 1 costs bits in the first links, a
    /// small ratio in the later ones.
    Tightening {
        /// The factor between capacities, 1 to 16.
        growth: u32,
        /// The factor between probabilities, from 0.1 to below 1.
        ratio: f64,
    },
    /// Each link equals the first, made for the requested rate, or for 0.35 if that is lower, and is full as soon as
    /// more than half of its bits are set. Its rate is then 2^-k at k probes, and that of n full links is `1 - (1 - 2^-k)^n`, nearly n times as high:
    /// the rate has no bound.
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

/// The first capacity of a growing filter, its false-positive rate, and its rule.
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
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GrowingParameters {
    capacity: u64,
    false_positive_rate: f64,
    rule: GrowthRule,
    first_link: Parameters,
}

/// The shape of a link.
pub(crate) struct LinkShape {
    pub(crate) parameters: Parameters,
    /// The link is full when more bits than this are ones.
    pub(crate) limit: u64,
}

impl GrowingParameters {
    /// Returns parameters of a first link for `capacity` elements, this rate for the whole chain, and the default rule.
    ///
    /// # Errors
    ///
    /// The errors of [`with_rule`](Self::with_rule).
    pub fn new(capacity: u64, false_positive_rate: f64) -> Result<Self, Error> {
        Self::with_rule(capacity, false_positive_rate, GrowthRule::default())
    }

    /// Returns parameters of a first link for `capacity` elements, with this rule. The rate is that of the whole chain
    /// if the rule tightens, and otherwise that of a link.
    ///
    /// A small capacity may be raised. With a rule that tightens, a link of *m* bits cannot err less often than about
    /// once in *m*, a limit of Guava's positions. The first link therefore has at least
    /// `2 / (false_positive_rate * (1 - ratio))` bits: 1250 bytes at a probability of 0.001 and the default ratio. If
    /// that exceeds 2 MiB, the capacity is refused instead. With the other rule 0 counts as 1.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) when the rate is not above 0 and below 1 (at the default ratio from 7.3e-11 on),
    /// when growth or ratio is out of range, when the capacity is too small for the rate, or when no Bloom filter can
    /// have the first link's parameters; [`TooLarge`](crate::ErrorKind::TooLarge).
    pub fn with_rule(capacity: u64, false_positive_rate: f64, rule: GrowthRule) -> Result<Self, Error> {
        Error::check_rate(false_positive_rate)?;
        if let GrowthRule::Tightening { growth, ratio } = rule {
            if growth == 0 || growth > MAX_GROWTH {
                return Err(Error::argument("the growth", "between 1 and 16", growth));
            }
            if !(MIN_RATIO..1.0).contains(&ratio) {
                return Err(Error::argument("the ratio", "from 0.1 to below 1", ratio));
            }
        }
        Ok(Self {
            capacity,
            false_positive_rate,
            rule,
            first_link: link(capacity, false_positive_rate, rule, 0)?.parameters,
        })
    }

    /// Returns the number of elements that the first link is for.
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Returns the requested false-positive rate: of the chain if the rule tightens, otherwise of a link.
    pub const fn false_positive_rate(&self) -> f64 {
        self.false_positive_rate
    }

    /// Returns the rule by which the chain grows.
    pub const fn rule(&self) -> GrowthRule {
        self.rule
    }

    /// Returns the parameters of the first link.
    pub const fn first_link(&self) -> &Parameters {
        &self.first_link
    }

    /// Returns the shape of the link at this place of the chain; the first has place 0.
    pub(crate) fn link(&self, place: usize) -> Result<LinkShape, Error> {
        link(self.capacity, self.false_positive_rate, self.rule, place)
    }
}

fn link(capacity: u64, false_positive_rate: f64, rule: GrowthRule, place: usize) -> Result<LinkShape, Error> {
    match rule {
        GrowthRule::SameSize => {
            let parameters = Parameters::new(capacity, false_positive_rate.min(MAX_SAME_SIZE_RATE))?;
            Ok(LinkShape {
                limit: parameters.bits() / 2,
                parameters,
            })
        }
        GrowthRule::Tightening { growth, ratio } => {
            let first = capacity.max(MIN_TIGHTENING_CAPACITY);
            // `Parameters` refuses a number that is too large, and names it.
            let factor = u64::from(growth).saturating_pow(u32::try_from(place).unwrap_or(u32::MAX));
            let grown = first.saturating_mul(factor);
            let share = false_positive_rate * (1.0 - ratio) * libm::pow(ratio, place as f64);
            let least = least_capacity(share);
            let bits = least_bits(share);
            if place == 0 && bits > MAX_BITS {
                let lowest = least_bits(1.0) / (MAX_BITS * (1.0 - ratio));
                return Err(Error::unreachable_rate(lowest, false_positive_rate));
            }
            if place == 0 && least > grown && bits >= MAX_RAISED_BITS {
                let range =
                    format_args!("at least {least} at a false-positive rate of {false_positive_rate}");
                return Err(Error::argument("the capacity", range, capacity));
            }
            let room = grown.saturating_add(grown / ROOM_PART).max(least);
            let parameters = Parameters::new(room, share)?;
            Ok(LinkShape {
                limit: tightening_limit(&parameters),
                parameters,
            })
        }
    }
}
/// Returns the number of bits that keep the excess within its part of this share.
fn least_bits(share: f64) -> f64 {
    EXCESS / (EXCESS_PART * share)
}

/// Returns the number of insertions for which Guava's formula gives that many bits.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is whole and positive; a cast stops at the limits"
)]
fn least_capacity(share: f64) -> u64 {
    libm::ceil(least_bits(share) * LN_2 * LN_2 / -libm::log(share)) as u64
}

/// Returns the largest number of ones at which one more element still keeps the link's probability, `(ones / bits)^k`
/// and the excess, within its share.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is not negative and at most the number of bits; the cast rounds down"
)]
fn tightening_limit(parameters: &Parameters) -> u64 {
    let probes = parameters.probe_count();
    let bits = parameters.bits() as f64;
    let fill = libm::pow(
        parameters.false_positive_rate() - EXCESS / bits,
        1.0 / f64::from(probes),
    );
    let ones = (bits * fill) as u64;
    ones.saturating_sub(probes.into())
}
