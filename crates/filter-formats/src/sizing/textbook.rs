//! The textbook formulas, for filters of any format with independent probes.

use filter_policy::Error;

use core::f64::consts::LN_2;

/// Returns the false-positive rate of a filter of `bits` bits that holds `keys` distinct keys with `probes` probes
/// each: `(1 - (1 - 1/bits)^(probes * keys))^probes`.
///
/// Accurate to about 12 digits with up to 30 probes, for filters and key sets of 2^40 and more.
///
/// # Errors
///
/// [`Error::OutOfDomain`] when `bits` is 0.
///
/// ```
/// // Sixteen bits per key and eight probes: not quite six in ten thousand.
/// let rate = filter_formats::sizing::rate(16_000_000, 1_000_000, 8)?;
/// assert!((rate - 5.74496e-4).abs() < 1e-9);
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub fn rate(bits: u64, keys: u64, probes: u32) -> Result<f64, Error> {
    if bits == 0 {
        return Err(Error::OutOfDomain {
            what: "number of bits",
            given: 0.0,
            allowed: "at least 1",
        });
    }
    if probes == 0 {
        return Ok(1.0);
    }
    if keys == 0 {
        return Ok(0.0);
    }
    let bits_set = f64::from(probes) * keys as f64;
    Ok(rate_of_zeros(
        bits_set * libm::log1p(-1.0 / bits as f64),
        f64::from(probes),
    ))
}

/// Returns the rate of a large filter with `probes` probes: `(1 - e^(-probes / bits_per_key))^probes`.
///
/// # Errors
///
/// [`Error::OutOfDomain`] when `bits_per_key` is not a finite number above 0.
pub fn rate_at(bits_per_key: f64, probes: u32) -> Result<f64, Error> {
    positive("bits per key", bits_per_key)?;
    Ok(rate_of_zeros(
        -f64::from(probes) / bits_per_key,
        f64::from(probes),
    ))
}

/// Returns the rate of a large filter with the best probe count, whole or not: `e^(-bits_per_key * (ln 2)^2)`. The
/// result is a lower bound for every Bloom filter.
///
/// # Errors
///
/// [`Error::OutOfDomain`] when `bits_per_key` is not a finite number above 0.
pub fn best_rate_at(bits_per_key: f64) -> Result<f64, Error> {
    positive("bits per key", bits_per_key)?;
    Ok(libm::exp(-bits_per_key * LN_2 * LN_2))
}

/// Returns the bits per key that reach a false-positive rate with the best probe count: `-ln(rate) / (ln 2)^2`.
///
/// # Errors
///
/// [`Error::OutOfDomain`] when `rate` is not strictly between 0 and 1.
///
/// ```
/// let bits_per_key = filter_formats::sizing::bits_per_key_for_rate(0.01)?;
/// assert!((bits_per_key - 9.585058).abs() < 1e-6);
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub fn bits_per_key_for_rate(rate: f64) -> Result<f64, Error> {
    proper_rate(rate)?;
    Ok(-libm::log(rate) / (LN_2 * LN_2))
}

/// Returns the bits per key that reach a false-positive rate with `probes` probes in a large filter:
/// `-probes / ln(1 - rate^(1/probes))`.
///
/// # Errors
///
/// [`Error::OutOfDomain`] when `rate` is not strictly between 0 and 1 or `probes` is 0, or when no finite number of bits
/// per key gives so low a rate with so few probes.
pub fn bits_per_key_for_rate_and_probe_count(rate: f64, probes: u32) -> Result<f64, Error> {
    finite(rate, f64::from(probes) / -ln_zeros_for(rate, probes)?)
}

/// Returns the memory, in bits, for `keys` keys at a false-positive rate with the best probe count:
/// `-keys * ln(rate) / (ln 2)^2`.
///
/// The result is not rounded: formats round to bytes or words, and some of them down.
///
/// # Errors
///
/// [`Error::OutOfDomain`] when `rate` is not strictly between 0 and 1.
///
/// ```
/// // The 22.85 MiB that Guava takes for ten million keys at one in ten thousand.
/// let bits = filter_formats::sizing::bits_for(10_000_000, 0.0001)?;
/// assert_eq!(bits as u64, 191_701_167);
/// assert_eq!((bits / 8.0 / 1024.0 / 1024.0 * 100.0).round(), 2285.0);
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub fn bits_for(keys: u64, rate: f64) -> Result<f64, Error> {
    proper_rate(rate)?;
    // Guava computes its sizes in this order, and they are compared with these.
    Ok(-(keys as f64) * libm::log(rate) / (LN_2 * LN_2))
}

/// Returns the memory, in bits, for `keys` keys at a false-positive rate with `probes` probes, not rounded: the m for
/// which [`rate`] gives that rate.
///
/// # Errors
///
/// The errors of [`bits_per_key_for_rate_and_probe_count`].
pub fn bits_for_probe_count(keys: u64, rate: f64, probes: u32) -> Result<f64, Error> {
    let ln_zeros = ln_zeros_for(rate, probes)?;
    if keys == 0 {
        return Ok(0.0);
    }
    // (1 - 1/m)^(kn) = zeros, solved for m.
    finite(
        rate,
        -1.0 / libm::expm1(ln_zeros / (f64::from(probes) * keys as f64)),
    )
}

/// Returns the number of keys that fit into `bits` bits at a false-positive rate with the best probe count, rounded
/// down.
///
/// # Errors
///
/// [`Error::OutOfDomain`] when `rate` is not strictly between 0 and 1.
pub fn keys_for(bits: u64, rate: f64) -> Result<u64, Error> {
    Ok(whole(bits as f64 / bits_per_key_for_rate(rate)?))
}

/// Returns the number of keys that fit into `bits` bits at a false-positive rate with `probes` probes, rounded down:
/// the largest n for which [`rate`] does not exceed that rate, up to the rounding of doubles.
///
/// # Errors
///
/// [`Error::OutOfDomain`] when `rate` is not strictly between 0 and 1 or `probes` is 0.
///
/// ```
/// use filter_formats::sizing::{keys_for_probe_count, rate};
///
/// let keys = keys_for_probe_count(800_000, 0.01, 6)?;
/// assert!(rate(800_000, keys, 6)? <= 0.01 && rate(800_000, keys + 1, 6)? > 0.01);
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub fn keys_for_probe_count(bits: u64, rate: f64, probes: u32) -> Result<u64, Error> {
    let ln_zeros = ln_zeros_for(rate, probes)?;
    if bits == 0 {
        return Ok(0);
    }
    // With a single bit the logarithm is -infinity and the quotient 0, which is right: one key fills it.
    Ok(whole(
        ln_zeros / (f64::from(probes) * libm::log1p(-1.0 / bits as f64)),
    ))
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

/// Returns the whole probe count with the lowest rate in a large filter, at least 1: one of the two neighbours of
/// [`best_probe_count`].
///
/// # Errors
///
/// [`Error::OutOfDomain`] when `bits_per_key` is not a finite number above 0, or needs more than 2^32 probes.
///
/// ```
/// use filter_formats::sizing::{best_whole_probe_count, rate_at};
///
/// assert_eq!(best_whole_probe_count(10.0)?, 7);
/// assert!(rate_at(10.0, 7)? < rate_at(10.0, 6)?);
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub fn best_whole_probe_count(bits_per_key: f64) -> Result<u32, Error> {
    let below = libm::floor(best_probe_count(bits_per_key)?);
    let too_many = Error::OutOfDomain {
        what: "bits per key",
        given: bits_per_key,
        allowed: "below 6196328017",
    };
    let below = u32::try_from(whole(below)).map_err(|_| too_many)?;
    let above = below.checked_add(1).ok_or(too_many)?;
    // Rates underflow to zero where hundreds of probes would be best, so the logarithms are compared.
    let ln_rate =
        |probes: u32| f64::from(probes) * libm::log(-libm::expm1(-f64::from(probes) / bits_per_key));
    Ok(if below > 0 && ln_rate(below) <= ln_rate(above) {
        below
    } else {
        above
    })
}

/// Returns the probe count that reaches a false-positive rate in the least memory, not rounded: `-log2(rate)`.
///
/// # Errors
///
/// [`Error::OutOfDomain`] when `rate` is not strictly between 0 and 1.
pub fn probe_count_for_rate(rate: f64) -> Result<f64, Error> {
    proper_rate(rate)?;
    Ok(-libm::log2(rate))
}

/// Returns the rate for the logarithm of the share of zeros.
fn rate_of_zeros(ln_zeros: f64, probes: f64) -> f64 {
    libm::pow(-libm::expm1(ln_zeros), probes)
}

/// Returns the logarithm of the share of zeros at which `probes` probes give a rate: `ln(1 - rate^(1/probes))`.
fn ln_zeros_for(rate: f64, probes: u32) -> Result<f64, Error> {
    proper_rate(rate)?;
    if probes == 0 {
        return Err(Error::OutOfDomain {
            what: "probe count",
            given: 0.0,
            allowed: "at least 1",
        });
    }
    let ln_ones = libm::log(rate) / f64::from(probes);
    // If nearly all bits are ones, the share of zeros is the small number; otherwise the share of ones is.
    Ok(if ln_ones > -LN_2 {
        libm::log(-libm::expm1(ln_ones))
    } else {
        libm::log1p(-libm::exp(ln_ones))
    })
}

/// Returns the number of bits that gives a rate, unless it is infinite.
fn finite(rate: f64, bits: f64) -> Result<f64, Error> {
    if bits.is_finite() {
        Ok(bits)
    } else {
        Err(Error::OutOfDomain {
            what: "false-positive rate",
            given: rate,
            allowed: "so high that a finite number of bits gives it with this probe count",
        })
    }
}

fn positive(what: &'static str, given: f64) -> Result<(), Error> {
    if given > 0.0 && given.is_finite() {
        Ok(())
    } else {
        Err(Error::OutOfDomain {
            what,
            given,
            allowed: "a finite number above 0",
        })
    }
}

pub(crate) fn proper_rate(given: f64) -> Result<(), Error> {
    if given > 0.0 && given < 1.0 {
        Ok(())
    } else {
        Err(Error::OutOfDomain {
            what: "false-positive rate",
            given,
            allowed: "above 0 and below 1",
        })
    }
}

/// Rounds a non-negative number down; numbers beyond 2^64 give the largest value.
#[expect(clippy::cast_possible_truncation, reason = "rounding down is what is wanted")]
fn whole(number: f64) -> u64 {
    number as u64
}

/// Returns the probability that an absent key has the same 32-bit hash as one of the keys: `1 - (1 - 2^-32)^n`.
pub(super) fn equal_hashes(keys: u64) -> f64 {
    let one_value = libm::ldexp(1.0, -32);
    -libm::expm1(keys as f64 * libm::log1p(-one_value))
}

#[cfg(test)]
mod tests;
