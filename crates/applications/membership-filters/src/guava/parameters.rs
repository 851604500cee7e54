//! Guava's sizing of filters, rounding for rounding.
//!
//! Knows nothing of keys or memory.

use core::f64::consts::LN_2;

use crate::bits::MAX_WORD_COUNT;
use crate::bloom::Variety as _;
use crate::error::{Error, Violation};
use crate::guava::strategy::Strategy;
use crate::java_math;
use crate::modulus::Modulus;

/// The rule by which Guava derives the probe count k. The rule changed between two releases. The stream stores k, so
/// every release reads filters of either rule.
///
/// For n keys, the rules differ at a share of about 0.4 / n of all probabilities; filters of equal parameters but
/// different rules cannot be combined there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ProbeCountRule {
    /// `k = round(-ln p / ln 2)`: Guava from 33.4.0 on (checked: 33.4.0 and 33.4.6).
    ///
    /// Source: <https://github.com/google/guava/issues/7346> and pull request 7494, which was opened in October 2024.
    #[default]
    FromRate,
    /// `k = round(m / n * ln 2)`, where m is the optimal bits before rounding up to words: Guava up to at least 32.1.2
    /// (checked: 31.1 and 32.1.2).
    FromBitsPerKey,
}

/// The shape of a filter: strategy, bits and probe count, as Guava derives them from the capacity and the
/// false-positive rate.
///
/// ```
/// use membership_filters::guava::{Parameters, ProbeCountRule};
///
/// let parameters = Parameters::new(10_000_000, 0.0001)?;
/// assert_eq!(parameters.optimal_bits(), 191_701_167);
/// assert_eq!(parameters.bits(), 191_701_184);
/// assert_eq!(parameters.probe_count(), 13);
///
/// // One key: the two rules of Guava differ.
/// let newer = Parameters::new(1, 0.01)?;
/// let older = Parameters::with_rule(1, 0.01, ProbeCountRule::FromBitsPerKey)?;
/// assert_eq!((newer.probe_count(), older.probe_count()), (7, 6));
///
/// let error = Parameters::new(1000, 1.5).unwrap_err();
/// assert_eq!(error.to_string(), "the false-positive rate must be above 0 and below 1, got 1.5");
/// # Ok::<(), membership_filters::Error>(())
/// ```
///
/// # Exactness
///
/// The formulas are computed in double precision, in Guava's order of operations and with Java's rounding. Java leaves
/// only the logarithm of the probability open: `Math.log` may be off by one unit in the last place. Here it is
/// correctly rounded on every platform, as it was in each of 400,000 cases computed by OpenJDK 17 on x86-64. A virtual
/// machine that rounds it otherwise gets one optimal bit more or less if the result of the formula is within a relative
/// 10^-16 or so of an integer, and another filter size only if that integer is also a multiple of 64: for filters of
/// 10^9 bits, once in 10^9 choices of parameters. Reading is never affected, because the stream states its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    capacity: u64,
    rate: f64,
    strategy: Strategy,
    optimal_bits: u64,
    modulus: Modulus,
    probe_count: u32,
}

impl Parameters {
    /// Derives the shape for this many keys and this false-positive rate; a capacity of 0 counts as 1.
    ///
    /// The strategy is [`Strategy::Murmur128Mitz64`], the probe count follows
    /// [`ProbeCountRule::FromRate`].
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] if the capacity is above `i64::MAX`, the rate is not above 0 and below 1, or
    /// the filter would have no bits or more than 255 probes; [`Error::TooLarge`] if it would have more than
    /// `(2^31 - 1) * 64` bits.
    pub fn new(capacity: u64, rate: f64) -> Result<Self, Error> {
        Self::with_rule(capacity, rate, ProbeCountRule::default())
    }

    /// Derives the shape with the probe count of this rule.
    /// Fails as [`Parameters::new`].
    pub fn with_rule(capacity: u64, rate: f64, rule: ProbeCountRule) -> Result<Self, Error> {
        if capacity > i64::MAX.unsigned_abs() {
            let (thing, range) = ("the capacity", "between 0 and 9223372036854775807");
            return Err(Error::argument(thing, range, capacity));
        }
        let capacity = capacity.max(1);
        Error::check_rate(rate)?;
        let cause = format_args!("for {capacity} keys at a false-positive rate of {rate:?}");
        let optimal_bits = optimal_bits(capacity, rate);
        if optimal_bits == 0 {
            let got = format_args!("0 {cause}");
            return Err(Error::argument("the number of bits", "at least 1", got));
        }
        let modulus = whole_words(optimal_bits, cause)?;
        let probes = match rule {
            ProbeCountRule::FromRate => -java_math::log(rate) / LN_2,
            ProbeCountRule::FromBitsPerKey => optimal_bits as f64 / capacity as f64 * LN_2,
        };
        let probes = java_math::round(probes).max(1);
        let Some(probe_count) = u8::try_from(probes).ok().map(u32::from) else {
            let got = format_args!("{probes} {cause}");
            return Err(Error::argument("the probe count", "between 1 and 255", got));
        };
        Ok(Self {
            capacity,
            rate,
            strategy: Strategy::default(),
            optimal_bits,
            modulus,
            probe_count,
        })
    }

    /// Sets the strategy.
    #[must_use]
    pub const fn strategy(self, strategy: Strategy) -> Self {
        Self { strategy, ..self }
    }

    /// Returns the number of keys planned for, at least 1.
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Returns the requested false-positive rate.
    pub const fn rate(&self) -> f64 {
        self.rate
    }

    /// Returns the rate of a filter with this many different keys. At the capacity it is above the requested rate in small
    /// filters, because the probes of a key are not independent: 1.3 % for 4 keys at 1 %, 1.1 % for 100.
    pub fn rate_at(&self, len: u64) -> f64 {
        self.strategy
            .rule()
            .rate(self.bits(), len as f64, self.probe_count)
    }

    /// Returns the strategy: [`Strategy::Murmur128Mitz64`], or that of [`strategy`](Self::strategy).
    pub const fn chosen_strategy(&self) -> Strategy {
        self.strategy
    }

    /// Returns the number of bits from the formula, Guava's `optimalNumOfBits`, before rounding up to words.
    pub const fn optimal_bits(&self) -> u64 {
        self.optimal_bits
    }

    /// Returns the number of 64-bit words of the filter, 1 to 2^31 - 1.
    pub const fn word_count(&self) -> usize {
        (self.modulus.get() / 64) as usize
    }

    /// Returns the number of bits of the filter, 64 per word.
    pub const fn bits(&self) -> u64 {
        self.modulus.get()
    }

    /// Returns the number of bits as the modulus of a key's positions.
    pub const fn modulus(&self) -> Modulus {
        self.modulus
    }

    /// Returns the probe count k, 1 to 255.
    pub const fn probe_count(&self) -> u32 {
        self.probe_count
    }
}

/// Returns the number of bits of a filter with at least `bits` bits, above 0: whole words.
pub(crate) fn whole_words(bits: u64, cause: core::fmt::Arguments<'_>) -> Result<Modulus, Error> {
    u32::try_from(bits.div_ceil(64))
        .ok()
        .filter(|&words| words <= MAX_WORD_COUNT)
        .and_then(|words| Modulus::new(u64::from(words) * 64))
        .ok_or_else(|| {
            let (thing, range) = ("the number of bits", "at most 137438953408");
            Error::TooLarge(Violation::new(thing, range, format_args!("{bits} {cause}")))
        })
}

/// Returns `(long) (-n * ln p / (ln 2 * ln 2))`: truncated, at most Java's largest `long`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "truncation is Guava's; a cast from a double stops at the limits, as Java's"
)]
pub(crate) fn optimal_bits(capacity: u64, rate: f64) -> u64 {
    let bits = -(capacity as f64) * java_math::log(rate) / (LN_2 * LN_2);
    (bits as i64).unsigned_abs()
}
