//! The sizes and rates of the stored formats.

use super::{proper_rate, rate};
use crate::error::Error;
use crate::params::BitsPerKey;

/// Hash values of 32 bits reach no bit beyond this many.
const REACHABLE_BITS: u64 = 1 << 32;

/// From this many bits per key on, k is 30 and no longer grows.
const BITS_PER_KEY_AT_MOST_PROBES: u32 = 44;

/// A stored filter format, with its exact sizes.
///
/// ```
/// use filter_policy::{BitsPerKey, sizing::Format};
///
/// let fifteen = BitsPerKey::whole(15);
/// assert_eq!(Format::LevelDb.filter_bytes(45_402, fifteen)?, 85_130);
/// assert_eq!(Format::LevelDb.probe_count(fifteen), 10);
/// assert_eq!(Format::LevelDb.max_keys(85_130, fifteen), 45_402);
/// assert_eq!(Format::LevelDb.bits_per_key_for_rate(45_402, 0.001)?, fifteen);
/// assert_eq!(Format::LevelDb.bits_per_key_for_bytes(45_402, 85_130)?, fifteen);
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// LevelDB's filter, which all policies of this crate write: whole bytes, at least 8, and one that holds
    /// k.
    LevelDb,
}

impl Format {
    /// The exact length of the filter, in bytes.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] when it does not fit into 64 bits.
    pub fn filter_bytes(self, keys: u64, bits_per_key: BitsPerKey) -> Result<u64, Error> {
        match self {
            Self::LevelDb => Ok(bits_per_key.filter_bits(keys)? / 8 + 1),
        }
    }

    /// The probe count k that the format derives from the bits per key.
    pub const fn probe_count(self, bits_per_key: BitsPerKey) -> u8 {
        match self {
            Self::LevelDb => bits_per_key.probe_count(),
        }
    }

    /// The false-positive rate that independent probes would have, by [`rate`] with the real number of
    /// bits and the real k; of more than 2^32 bits only so many count, because no hash value reaches further.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] as in [`filter_bytes`](Self::filter_bytes).
    pub fn rate(self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        match self {
            Self::LevelDb => {
                let bits = bits_per_key.filter_bits(keys)?.min(REACHABLE_BITS);
                rate(bits, keys, u32::from(bits_per_key.probe_count()))
            }
        }
    }

    /// The smallest whole bits per key, at least 1, whose [`rate`](Self::rate) does not exceed the wanted
    /// one.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] as in [`filter_bytes`](Self::filter_bytes), [`Error::OutOfDomain`] when
    /// `wanted` is not strictly between 0 and 1, [`Error::RateUnreachable`] when
    /// the limits of k and of the hash's width keep every filter above it.
    pub fn bits_per_key_for_rate(self, keys: u64, wanted: f64) -> Result<BitsPerKey, Error> {
        proper_rate(wanted)?;
        let rate_at = |bits: u32| self.rate(keys, BitsPerKey::whole(bits));
        // While k grows, the rate may rise again in filters that are as large as hash values reach: try them
        // all.
        let mut lowest = 1.0_f64;
        for bits in 1..BITS_PER_KEY_AT_MOST_PROBES {
            let reached = rate_at(bits)?;
            if reached <= wanted {
                return Ok(BitsPerKey::whole(bits));
            }
            lowest = lowest.min(reached);
        }
        // From here on more bits never make it worse, and beyond the reach of hash values no better.
        let enough = REACHABLE_BITS.div_ceil(keys.max(1));
        let mut high = u32::try_from(enough)
            .unwrap_or(u32::MAX)
            .max(BITS_PER_KEY_AT_MOST_PROBES);
        let at_best = rate_at(high)?;
        if at_best > wanted {
            return Err(Error::RateUnreachable {
                given: wanted,
                lowest: lowest.min(at_best),
            });
        }
        let mut low = BITS_PER_KEY_AT_MOST_PROBES;
        while low < high {
            let middle = low + (high - low) / 2;
            if rate_at(middle)? <= wanted {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(BitsPerKey::whole(high))
    }

    /// The largest whole bits per key, 0 included, whose filter of this many keys takes at most so many
    /// bytes.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfDomain`] when `bytes` is less than 9, the smallest filter.
    pub fn bits_per_key_for_bytes(self, keys: u64, bytes: u64) -> Result<BitsPerKey, Error> {
        let whole = |bits: u64| BitsPerKey::whole(u32::try_from(bits).unwrap_or(u32::MAX));
        largest(u64::from(u32::MAX), |bits| self.fits(keys, whole(bits), bytes))
            .map(whole)
            .ok_or(Error::OutOfDomain {
                what: "the memory in bytes",
                given: bytes as f64,
                allowed: "at least 9",
            })
    }

    /// The largest number of keys whose filter takes at most so many bytes; 0 when not even an empty filter
    /// does. With 0 bits per key the filter does not grow, and every number of keys fits.
    pub fn max_keys(self, bytes: u64, bits_per_key: BitsPerKey) -> u64 {
        largest(u64::MAX, |keys| self.fits(keys, bits_per_key, bytes)).unwrap_or(0)
    }

    fn fits(self, keys: u64, bits_per_key: BitsPerKey, bytes: u64) -> bool {
        self.filter_bytes(keys, bits_per_key)
            .is_ok_and(|taken| taken <= bytes)
    }
}

/// The largest number up to `limit` that fits, where everything below a number that fits does so too.
fn largest(limit: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
    if !fits(0) {
        return None;
    }
    let (mut low, mut high) = (0, limit);
    while low < high {
        // The upper of two middles, so that the search ends.
        let middle = high - (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: Format = Format::LevelDb;

    #[test]
    fn limits_are_tight() {
        for bits in [0.001, 0.3, 1.0, 7.5, 10.0, 44.0, 1e9] {
            let bits_per_key = BitsPerKey::fractional(bits).unwrap();
            for bytes in [9, 10, 57, 100_001, 1 << 40] {
                let keys = FORMAT.max_keys(bytes, bits_per_key);
                assert!(FORMAT.filter_bytes(keys, bits_per_key).unwrap() <= bytes);
                assert!(
                    FORMAT.filter_bytes(keys + 1, bits_per_key).unwrap() > bytes,
                    "{bits}, {bytes} bytes"
                );
            }
        }
        assert_eq!(FORMAT.max_keys(8, BitsPerKey::whole(10)), 0);
        assert_eq!(FORMAT.max_keys(9, BitsPerKey::whole(0)), u64::MAX);

        for (keys, bytes) in [(1, 9), (7, 10), (1_000, 1_251), (45_402, 56_754)] {
            let found = FORMAT.bits_per_key_for_bytes(keys, bytes).unwrap();
            assert!(FORMAT.filter_bytes(keys, found).unwrap() <= bytes);
            let more = BitsPerKey::fractional(found.get() + 1.0).unwrap();
            assert!(FORMAT.filter_bytes(keys, more).unwrap() > bytes);
        }
        assert_eq!(FORMAT.bits_per_key_for_bytes(0, 9), Ok(BitsPerKey::MAX));
        assert_eq!(
            FORMAT.bits_per_key_for_bytes(1_000_000, 9),
            Ok(BitsPerKey::whole(0))
        );
        assert!(FORMAT.bits_per_key_for_bytes(1, 8).is_err());
    }

    #[test]
    fn the_bits_per_key_found_are_the_smallest() {
        for keys in [0, 1, 2, 7, 32, 1_000, 1_000_000, 100_000_000] {
            for wanted in [0.9, 0.5, 0.1, 0.01, 1e-3, 1e-6, 1e-12] {
                let searched = (1..=3_000)
                    .map(BitsPerKey::whole)
                    .find(|&bits| FORMAT.rate(keys, bits).unwrap() <= wanted);
                let found = FORMAT.bits_per_key_for_rate(keys, wanted);
                match searched {
                    Some(bits) => assert_eq!(found, Ok(bits), "{keys} keys at {wanted}"),
                    None => assert!(found.is_err(), "{keys} keys at {wanted}: {found:?}"),
                }
            }
        }
    }

    #[test]
    fn rates_beyond_the_format_are_refused() {
        // No more than 30 probes, and no more than 2^32 bits.
        assert!(FORMAT.bits_per_key_for_rate(1_000, 1e-150).is_ok());
        assert!(matches!(
            FORMAT.bits_per_key_for_rate(1_000, 1e-160),
            Err(Error::RateUnreachable { .. })
        ));
        assert!(matches!(
            FORMAT.bits_per_key_for_rate(10_000_000_000, 0.01),
            Err(Error::RateUnreachable { .. })
        ));
        assert!(matches!(
            FORMAT.bits_per_key_for_rate(1_000, 0.0),
            Err(Error::OutOfDomain { .. })
        ));
        assert!(FORMAT.bits_per_key_for_rate(u64::MAX, 0.5).is_err());
    }
}
