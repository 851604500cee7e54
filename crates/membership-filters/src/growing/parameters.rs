//! What the links of a growing filter are like.
//!
//! Knows nothing of elements, hashes or stored bytes.

use guava_bloom::Parameters;

use crate::error::BuildError;

/// The least capacity of a link that tightens: a smaller one could be full before its first element is in.
const MIN_TIGHTENING_CAPACITY: u64 = 8;

/// The largest factor between capacities: four times what the article advises. It also bounds what stored bytes of a
/// given length can make the next link take.
pub(crate) const MAX_GROWTH: u32 = 16;

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
        /// The factor between probabilities, above 0 and below 1.
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
    /// A first link for about `capacity` elements, this probability for the whole chain, and the default rule.
    ///
    /// # Errors
    ///
    /// As of [`with_rule`](Self::with_rule).
    pub fn new(capacity: u64, fpp: f64) -> Result<Self, BuildError> {
        Self::with_rule(capacity, fpp, GrowthRule::default())
    }

    /// A first link for about `capacity` elements, with this rule. With a rule that tightens, the probability is that of
    /// the whole chain, and a capacity below 8 counts as 8; otherwise it is that of a link, and 0 counts as 1.
    ///
    /// # Errors
    ///
    /// [`BuildError::FppOutOfRange`], [`BuildError::Growth`], [`BuildError::Tightening`], and [`BuildError::Bloom`] where
    /// no Bloom filter has the first link's parameters.
    pub fn with_rule(capacity: u64, fpp: f64, rule: GrowthRule) -> Result<Self, BuildError> {
        if !(fpp > 0.0 && fpp < 1.0) {
            return Err(BuildError::FppOutOfRange { given: fpp });
        }
        if let GrowthRule::Tightening { growth, ratio } = rule {
            if growth == 0 || growth > MAX_GROWTH {
                return Err(BuildError::Growth { given: growth });
            }
            if !(ratio > 0.0 && ratio < 1.0) {
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
                let fpp = self.fpp * (1.0 - ratio) * libm::pow(ratio, place as f64);
                let parameters = Parameters::new(i128::from(first).saturating_mul(factor), fpp)?;
                Ok(LinkShape {
                    limit: tightening_limit(&parameters),
                    parameters,
                })
            }
        }
    }
}

/// The largest number of ones at which one element more still leaves the link's probability, `(ones / bits)^k`, within
/// its share.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is not negative and at most the number of bits; the cast rounds down"
)]
fn tightening_limit(parameters: &Parameters) -> u64 {
    let probes = parameters.probes();
    let fill = libm::pow(parameters.fpp(), 1.0 / f64::from(probes));
    let ones = (parameters.bit_size() as f64 * fill) as u64;
    ones.saturating_sub(probes.into())
}
