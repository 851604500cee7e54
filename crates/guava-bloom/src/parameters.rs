//! From insertions and probability to bits and probes: Guava's sizing, rounding for rounding.
//!
//! Knows nothing of elements or of memory.

use core::f64::consts::LN_2;

use crate::error::ParameterError;
use crate::header::{MAX_WORDS, StreamHeader};
use crate::java_math;
use crate::strategy::Strategy;

/// The false-positive probability of Guava's `BloomFilter.create(funnel, expectedInsertions)`: 3 %.
pub const DEFAULT_FPP: f64 = 0.03;

/// How Guava derives the probe count k. It changed between two releases; the stream carries k, so that filters of either
/// rule are read by all.
///
/// The two differ for n insertions at a share of about 0.4 / n of all probabilities; there, filters of equal parameters
/// cannot be combined across the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ProbeCountRule {
    /// `k = round(-ln p / ln 2)`: Guava from 33.4.0 on (checked: 33.4.0 and 33.4.6).
    ///
    /// Source: <https://github.com/google/guava/issues/7346> and pull request 7494, which was opened in October 2024.
    #[default]
    FromFpp,
    /// `k = round(m / n * ln 2)` with m the optimal bits, not rounded up to words: Guava up to 32.1.2 at least (checked:
    /// 31.1 and 32.1.2).
    FromBitsPerInsertion,
}

/// A number of expected insertions: any primitive integer up to 64 bits, and `i128`.
///
/// Sealed: it exists so that literals and `len()` need no cast.
pub trait InsertionCount: sealed::Sealed {
    /// The number, wide enough for negative and for too large ones.
    fn to_i128(self) -> i128;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! insertion_counts {
    ($($integer:ty)*) => {$(
        impl sealed::Sealed for $integer {}

        impl InsertionCount for $integer {
            #[inline]
            fn to_i128(self) -> i128 {
                self as i128
            }
        }
    )*};
}

insertion_counts!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize i128);

/// The shape of a filter: strategy, bits and probes, as Guava derives them from the expected insertions and the
/// false-positive probability.
///
/// ```
/// use guava_bloom::{ParameterError, Parameters, ProbeCountRule};
///
/// let parameters = Parameters::new(10_000_000, 0.0001)?;
/// assert_eq!(parameters.optimal_bits(), 191_701_167);
/// assert_eq!(parameters.bit_size(), 191_701_184);
/// assert_eq!(parameters.probes(), 13);
/// assert_eq!(parameters.stream_len(), 23_962_654);
///
/// // One insertion: the two rules of Guava differ.
/// let newer = Parameters::new(1, 0.01)?;
/// let older = Parameters::with_rule(1, 0.01, ProbeCountRule::FromBitsPerInsertion)?;
/// assert_eq!((newer.probes(), older.probes()), (7, 6));
///
/// let error = Parameters::new(-1, 0.01).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "expected insertions are -1, allowed are 0 to 9223372036854775807"
/// );
/// # Ok::<(), ParameterError>(())
/// ```
///
/// # Exactness
///
/// The formulas are computed in double precision, in Guava's order of operations, rounded as Java rounds. Their one input
/// that Java itself leaves open to the last bit is the logarithm of the probability: `Math.log` may be off by one unit in
/// the last place. Here it is correctly rounded, on every platform, as it was in each of 400,000 cases that OpenJDK 17
/// computed on x86-64. A virtual machine that rounds it otherwise comes to another number of optimal bits, by one, where
/// the formula is within some 10^-16 of its value of a whole number, and to another size of the filter only where that
/// number is also a multiple of 64: for filters of 10^9 bits that is once in 10^9 choices of parameters. Reading is
/// never affected, as the stream says its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    insertions: u64,
    fpp: f64,
    strategy: Strategy,
    rule: ProbeCountRule,
    optimal_bits: u64,
    words: u32,
    probes: u8,
}

impl Parameters {
    /// For this many insertions and this false-positive probability; 0 insertions count as 1.
    ///
    /// The strategy is [`Strategy::Murmur128Mitz64`], the probe count follows [`ProbeCountRule::FromFpp`].
    ///
    /// # Errors
    ///
    /// [`ParameterError`] when the insertions are negative or above `i64::MAX`, the probability is not above 0 and below
    /// 1, the filter would have no bit or more than (2^31 - 1) * 64, or more than 255 probes.
    pub fn new(insertions: impl InsertionCount, fpp: f64) -> Result<Self, ParameterError> {
        Self::with_rule(insertions, fpp, ProbeCountRule::default())
    }

    /// The same with the probe count of this rule.
    ///
    /// # Errors
    ///
    /// As [`Parameters::new`].
    pub fn with_rule(
        insertions: impl InsertionCount,
        fpp: f64,
        rule: ProbeCountRule,
    ) -> Result<Self, ParameterError> {
        let given = insertions.to_i128();
        let insertions = i64::try_from(given)
            .ok()
            .and_then(|insertions| u64::try_from(insertions).ok())
            .ok_or(ParameterError::InsertionsOutOfRange { given })?
            .max(1);
        // Written so that a NaN is refused.
        if !(fpp > 0.0 && fpp < 1.0) {
            return Err(ParameterError::FppOutOfRange { given: fpp });
        }
        let optimal_bits = optimal_bits(insertions, fpp);
        if optimal_bits == 0 {
            return Err(ParameterError::NoBits { insertions, fpp });
        }
        let words = u32::try_from(optimal_bits.div_ceil(64))
            .ok()
            .filter(|&words| words <= MAX_WORDS)
            .ok_or(ParameterError::TooManyBits {
                insertions,
                fpp,
                bits: optimal_bits,
            })?;
        let probes = match rule {
            ProbeCountRule::FromFpp => -java_math::log(fpp) / LN_2,
            ProbeCountRule::FromBitsPerInsertion => optimal_bits as f64 / insertions as f64 * LN_2,
        };
        let probes = java_math::round(probes).max(1);
        Ok(Self {
            insertions,
            fpp,
            strategy: Strategy::default(),
            rule,
            optimal_bits,
            words,
            probes: u8::try_from(probes).map_err(|_| ParameterError::TooManyProbes { probes, fpp })?,
        })
    }

    /// For this many insertions at [`DEFAULT_FPP`].
    ///
    /// # Errors
    ///
    /// As [`Parameters::new`].
    pub fn with_default_fpp(insertions: impl InsertionCount) -> Result<Self, ParameterError> {
        Self::new(insertions, DEFAULT_FPP)
    }

    /// The same with another strategy.
    #[must_use]
    pub const fn with_strategy(self, strategy: Strategy) -> Self {
        Self { strategy, ..self }
    }

    /// The same with the probe count of another rule.
    ///
    /// # Errors
    ///
    /// [`ParameterError::TooManyProbes`] when the rule gives more than 255.
    pub fn with_probe_count_rule(self, rule: ProbeCountRule) -> Result<Self, ParameterError> {
        Ok(Self::with_rule(self.insertions, self.fpp, rule)?.with_strategy(self.strategy))
    }

    /// The expected insertions, at least 1.
    pub const fn insertions(&self) -> u64 {
        self.insertions
    }

    /// The false-positive probability that was asked for.
    pub const fn fpp(&self) -> f64 {
        self.fpp
    }

    /// The strategy.
    pub const fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// The rule of the probe count.
    pub const fn probe_count_rule(&self) -> ProbeCountRule {
        self.rule
    }

    /// The bits that the formula gives, Guava's `optimalNumOfBits`: not yet rounded up to words.
    pub const fn optimal_bits(&self) -> u64 {
        self.optimal_bits
    }

    /// The 64-bit words of the filter, 1 to 2^31 - 1.
    pub const fn words(&self) -> usize {
        self.words as usize
    }

    /// The bits of the filter: 64 for each word.
    pub const fn bit_size(&self) -> u64 {
        self.words as u64 * 64
    }

    /// The probe count k, 1 to 255.
    pub const fn probes(&self) -> u8 {
        self.probes
    }

    /// Bytes of the filter's stream: a header of 6 and 8 for each word.
    pub const fn stream_len(&self) -> u64 {
        StreamHeader::LEN as u64 + self.words as u64 * 8
    }
}

/// `(long) (-n * ln p / (ln 2 * ln 2))`: truncated, at most Java's largest `long`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "truncation is Guava's; a cast from a double stops at the limits, as Java's"
)]
fn optimal_bits(insertions: u64, fpp: f64) -> u64 {
    let bits = -(insertions as f64) * java_math::log(fpp) / (LN_2 * LN_2);
    (bits as i64).unsigned_abs()
}
