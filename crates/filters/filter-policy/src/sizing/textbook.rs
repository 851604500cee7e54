//! The textbook formulas, for filters of any format with independent probes.

use core::f64::consts::LN_2;

use crate::Error;

use crate::error::outside;

/// A filter with independent probes and without rounding: the textbook's.
///
/// ```
/// use filter_policy::sizing::Textbook;
///
/// // Sixteen bits per key and eight probes: not quite six in ten thousand.
/// let rate = Textbook::with_probe_count(8).rate(16_000_000, 1_000_000)?;
/// assert!((rate - 5.74496e-4).abs() < 1e-9);
///
/// let bits_per_key = Textbook::bits_per_key(0.01)?;
/// assert!((bits_per_key - 9.585058).abs() < 1e-6);
/// assert!((Textbook::best_probe_count(10.0)? - 6.931).abs() < 1e-3);
///
/// // The 22.85 MiB that Guava takes for ten million keys at one in ten thousand.
/// let bits = 1e7 * Textbook::bits_per_key(0.0001)?;
/// assert_eq!(bits as u64, 191_701_167);
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Textbook {
    probes: Option<u32>,
}

impl Textbook {
    /// The filter whose probe count is the best one for its size, whole or not. Its rate is a lower bound for every
    /// Bloom filter.
    pub const BEST: Self = Self { probes: None };

    /// Makes a filter with this many probes for each key.
    pub const fn with_probe_count(probes: u32) -> Self {
        Self { probes: Some(probes) }
    }

    /// Returns the false-positive rate of `bits` bits that hold `keys` distinct keys: `(1 - (1 - 1/bits)^(k * keys))^k`
    /// for k probes.
    ///
    /// Accurate to about 12 digits with up to 30 probes, for filters and key sets of 2^40 and more.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfDomain`] when `bits` is 0.
    pub fn rate(self, bits: u64, keys: u64) -> Result<f64, Error> {
        if bits == 0 {
            return Err(outside("number of bits", 0.0, "at least 1"));
        }
        match self.probes {
            Some(0) => Ok(1.0),
            _ if keys == 0 => Ok(0.0),
            None => self.rate_at(bits as f64 / keys as f64),
            Some(probes) => {
                let bits_set = f64::from(probes) * keys as f64;
                let ln_zeros = bits_set * libm::log1p(-1.0 / bits as f64);
                Ok(rate_of_zeros(ln_zeros, f64::from(probes)))
            }
        }
    }

    /// Returns the rate of a large filter: `(1 - e^(-k / bits_per_key))^k` for k probes, `e^(-bits_per_key * (ln 2)^2)`
    /// for the best number.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfDomain`] when `bits_per_key` is not a finite number above 0.
    pub fn rate_at(self, bits_per_key: f64) -> Result<f64, Error> {
        positive("bits per key", bits_per_key)?;
        Ok(match self.probes.map(f64::from) {
            Some(probes) => rate_of_zeros(-probes / bits_per_key, probes),
            None => libm::exp(-bits_per_key * LN_2 * LN_2),
        })
    }

    /// Returns the bits per key that reach a rate in a large filter with the best probe count: `-ln(rate) / (ln 2)^2`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfDomain`] when `rate` is not strictly between 0 and 1.
    pub fn bits_per_key(rate: f64) -> Result<f64, Error> {
        proper_rate(rate)?;
        Ok(-libm::log(rate) / (LN_2 * LN_2))
    }

    /// Returns the probe count with the lowest rate, not rounded: `bits_per_key * ln 2`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfDomain`] when `bits_per_key` is not a finite number above 0.
    pub fn best_probe_count(bits_per_key: f64) -> Result<f64, Error> {
        positive("bits per key", bits_per_key)?;
        Ok(bits_per_key * LN_2)
    }
}

/// Returns the rate for the logarithm of the share of zeros.
fn rate_of_zeros(ln_zeros: f64, probes: f64) -> f64 {
    libm::pow(-libm::expm1(ln_zeros), probes)
}

fn positive(what: &'static str, given: f64) -> Result<(), Error> {
    if given > 0.0 && given.is_finite() {
        Ok(())
    } else {
        Err(outside(what, given, "a finite number above 0"))
    }
}

pub(crate) fn proper_rate(given: f64) -> Result<(), Error> {
    if given > 0.0 && given < 1.0 {
        Ok(())
    } else {
        Err(outside("false-positive rate", given, "above 0 and below 1"))
    }
}

/// Returns the probability that an absent key has the same hash of this many bits as one of the keys:
/// `1 - (1 - 2^-bits)^n`.
pub(crate) fn equal_hashes(bits: u32, keys: u64) -> f64 {
    let one_value = libm::exp2(-f64::from(bits));
    -libm::expm1(keys as f64 * libm::log1p(-one_value))
}

#[cfg(not(emulated))]
#[cfg(test)]
mod tests;
