//! The rate of filters that probe at a start and at multiples of a step from there.
//!
//! Such probes are not independent. A step that has a factor in common with the size, or one near 0, leaves a key with
//! few different positions; a stored key with nearly the same start and step covers all positions of an absent one, as
//! does one that takes the same walk backwards. [`walks`] estimates how often either happens, and [`cover`] computes
//! the rate from that: keys of one number of different positions are a class, each stored key covers some of these
//! positions, and any choice of as many of them is taken to be as likely as another.

mod cover;
mod walks;

use crate::Error;
use crate::error::outside;

use self::cover::{MAX, Moves, Shares, all_covered};
pub(crate) use self::walks::{Walks, gcd, inverse};

/// Filters with more probes of all keys for each bit are so full that repeated positions do not matter.
const CROWDED: f64 = 4.0;

/// A part of the rate that is smaller than this share of it is not computed.
const NEGLIGIBLE: f64 = 1e-3;

/// The precision of an estimated rate.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Precision {
    Full,
    /// A tenth of the time, for searches.
    Rough,
}

impl Precision {
    /// Returns the number of draws, of these at full precision.
    pub(crate) const fn of(self, draws: u64) -> u64 {
        match self {
            Self::Full => draws,
            Self::Rough => draws / 16,
        }
    }

    /// Returns the rate to state: a rough one a little higher, so that a search seldom ends at a size which is too small.
    pub(crate) const fn stated(self, rate: f64) -> f64 {
        match self {
            Self::Full => rate,
            Self::Rough => 1.015 * rate,
        }
    }
}

/// Double hashing: the probes of a key are at `start + i * step` modulo the number of bits. The variants are the
/// arithmetic of these sums, in which engines and libraries differ.
///
/// ```
/// use filter_policy::sizing::{DoubleHashing, exact_rate};
///
/// // Guava's filter of four keys at 1 %.
/// let rate = DoubleHashing::Modulo(63).rate(64, 4.0, 7)?;
/// assert!((0.012..0.014).contains(&rate));
/// assert!(exact_rate(64, 4, 7)? < 0.001);
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DoubleHashing {
    /// Sums that do not overflow: those of Spark's second version.
    Unbounded,
    /// Sums modulo two to the power of this number, at most 64: 63 in Guava, 64 in RedisBloom.
    Modulo(u32),
    /// Sums modulo 2^32 as signed numbers, of which the negative ones have all bits flipped: those of Guava before
    /// version 17 and of Spark's first version. They reach the first 2^31 bits.
    Mirrored,
}

impl DoubleHashing {
    /// Returns the false-positive rate of `bits` bits that hold `keys` distinct keys, if their hashes are ideal. The number
    /// of keys may be an estimate and need not be whole.
    ///
    /// A Monte Carlo estimate with a fixed seed, so that the same arguments give the same rate. Counts for one key to
    /// thousands at rates of 10 to 0.01 % agree within 10 %, and at rates of 1e-9 within a factor of 2. It is an upper
    /// bound with more than 64 probes. It takes milliseconds, the longer the more probes there are.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfDomain`] when `bits` is 0, `keys` negative or not finite, or the power of two above 64.
    pub fn rate(self, bits: u64, keys: f64, probes: u32) -> Result<f64, Error> {
        self.rate_with(bits, keys, probes, Precision::Full)
    }

    /// Returns the [`rate`](Self::rate) with this precision.
    pub(crate) fn rate_with(
        self,
        bits: u64,
        keys: f64,
        probes: u32,
        precision: Precision,
    ) -> Result<f64, Error> {
        if bits == 0 {
            return Err(outside("number of bits", 0.0, "at least 1"));
        }
        if !(keys >= 0.0 && keys.is_finite()) {
            return Err(outside("number of keys", keys, "a finite number of at least 0"));
        }
        let bits = match self {
            Self::Modulo(power @ 65..) => return Err(outside("power of two", power.into(), "at most 64")),
            // Positions beyond the sums are never reached.
            Self::Modulo(power) => 1_u64.checked_shl(power).map_or(bits, |sums| bits.min(sums)),
            Self::Mirrored => bits.min(1 << 31),
            Self::Unbounded => bits,
        };
        let walks = Walks::new(self, bits, probes, precision);
        // More probes than are looked at fill the filter as more keys do.
        let looked_at = walks.probes().max(1) as f64;
        let keys = keys * f64::from(probes) / looked_at;
        let unevenness = match self {
            Self::Mirrored => unevenness(bits, keys * looked_at),
            Self::Unbounded | Self::Modulo(_) => 1.0,
        };
        Ok(precision.stated(rate_of(&walks, keys, unevenness)))
    }
}

/// Returns the rate of keys with these walks. A position of an absent key is this many times as likely to be a one as in
/// a filter with even positions.
pub(crate) fn rate_of(walks: &Walks, keys: f64, unevenness: f64) -> f64 {
    let (bits, probes) = (walks.bits() as f64, walks.probes());
    if keys == 0.0 || probes == 0 {
        return if probes == 0 { 1.0 } else { 0.0 };
    }
    let balls = keys * probes as f64;
    let even = -libm::expm1(balls * libm::log1p(-1.0 / bits));
    let ones = (even * unevenness).min(1.0);
    let ideal = libm::pow(ones, probes as f64);
    if balls >= CROWDED * bits || ones == 1.0 || walks.most_repetitions(keys, ones) < NEGLIGIBLE * ideal {
        return ideal;
    }
    let classes = walks.classes();
    let mean: f64 = (0_u32..)
        .zip(&classes.shares)
        .map(|(d, share)| f64::from(d) * share)
        .sum();
    // As many more keys cover a position as make it a one so much more often.
    let more = libm::log1p(-ones) / libm::log1p(-even);
    let (mut rate, mut moves): (f64, Moves) = (0.0, [[0.0; MAX + 1]; MAX + 1]);
    // The class of most keys comes first.
    for positions in core::iter::once(probes).chain(1..probes) {
        let (Some(&share), Some(hits)) = (classes.shares.get(positions), classes.hits.get(positions)) else {
            continue;
        };
        if share > NEGLIGIBLE * rate {
            // A position is covered as often as any position is.
            let once = more * positions as f64 * mean / bits;
            rate += share * all_covered(positions, hits, once, keys, &mut moves);
        }
    }
    rate.min(1.0)
}

/// Returns how many times as likely the position of a probe is to be set as in a filter with even positions,
/// because it is the remainder of one of 2^31 numbers.
fn unevenness(bits: u64, balls: f64) -> f64 {
    let numbers = 1_u64 << 31;
    let (most, rest) = (numbers / bits + 1, numbers % bits);
    // The share of probes at such positions, and that of their bits which are ones.
    let ones = |positions: u64, each: u64| {
        let each = each as f64 / numbers as f64;
        positions as f64 * each * -libm::expm1(-balls * each)
    };
    let even = -libm::expm1(-balls / bits as f64);
    (ones(rest, most) + ones(bits - rest, most - 1)) / even
}

#[cfg(not(emulated))]
#[cfg(test)]
mod tests;
