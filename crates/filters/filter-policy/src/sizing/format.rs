//! The sizes and rates of the stored formats.

use core::f64::consts::LN_2;
use core::iter;

use crate::{BitsPerKey, Error};

use super::search::{largest, least};
use super::textbook::{Textbook, equal_hashes, proper_rate};
use crate::AnyFormat;
use crate::error::outside;
use crate::policy::FilterSize;

/// From this many bits per key on, k stays at 30.
const BITS_PER_KEY_AT_MOST_PROBES: u32 = 44;

/// That of RocksDB's formats, where k stays at 24 or 30.
const BITS_OF_ROCKSDB_AT_MOST_PROBES: u32 = 51;

/// The share of a rate that another one must be below to be worth another size.
const NOTICEABLE: f64 = 0.999;

/// The parts of a bit per key where bytes are used to the last step. They distinguish all sizes of a filter.
const BILLION: u64 = 1_000_000_000;

/// The rate of the best filter falls by a factor of e with so many hundredths of a bit per key more: 100 / (ln 2)^2.
const HUNDREDTHS_FOR_E: f64 = 208.0;

/// The most rates of one kind that a search of estimated rates computes.
const MOST_RATES: u32 = 12;

/// The logarithm of the factor between a wanted rate and the one that a search aims at.
const AIM: f64 = 0.01;

/// The amount by which a search aims lower after each full rate but the first.
const LOWER: f64 = 0.3;

/// The logarithm for a rough rate that is close enough.
const CLOSE: f64 = 0.02;

/// Sizes that differ by less than one of so many parts do not show how rates fall, and are as good.
const NEAR: u64 = 64;

/// The largest number of bits per key in RocksDB's formats.
const MAX_BITS_OF_ROCKSDB: u32 = 100;

impl dyn AnyFormat + '_ {
    /// Returns the exact length in bytes of the filter of this many distinct keys, except that the first key's hash may
    /// make a Ribbon filter 16 bytes shorter. (RocksDB's formats and binary fuse filters do not count repeated keys.)
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] when the length does not fit into 64 bits, or into 2 GiB for split blocks, or a binary
    /// fuse filter has more than 2^31 keys; [`Error::OutOfDomain`] when the bits per key are too few for a RocksDB
    /// filter.
    pub fn filter_len(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<u64, Error> {
        Ok(self.size(keys, bits_per_key)?.bytes)
    }

    /// Returns the probe count k of a filter of this many keys; `None` for Ribbon and binary fuse filters, which have
    /// no probes. The errors are those of `filter_len`.
    pub fn probe_count(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<Option<u32>, Error> {
        Ok(self.size(keys, bits_per_key)?.probes)
    }

    /// Returns the expected false-positive rate at the real size and the real k. For Ribbon and binary fuse filters it is
    /// that of the bits that they compare, and for Bloom filters whose probes are independent that of ideal ones, exactly.
    /// In the formats of LevelDB and Basho and in RocksDB's legacy filters it is computed from the arithmetic of the
    /// probes, which takes some milliseconds: [`theory`](crate::theory) derives it, compares it with counts, and says what
    /// it neglects.
    ///
    /// No filter of 64-bit hash values has a rate below about *n* / 2^64, the share of absent keys whose hash value is
    /// that of one of *n* stored keys, and none of 32-bit values one below *n* / 2^32. The errors are those of `filter_len`.
    pub fn expected_rate(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        let rate = self.rate(keys, bits_per_key)?;
        Ok(rate.max(equal_hashes(self.hash_bits(), keys)).min(1.0))
    }

    /// Returns the smallest bits per key, to a hundredth and above 0, whose `expected_rate` does
    /// not exceed the wanted one: of the first whole number that reaches it, and the hundredths below that. In the formats
    /// of LevelDB and Basho, whose rates are estimates, and from 51 bits per key on in RocksDB's legacy format, where some
    /// sizes are bad ones, somewhat fewer may suffice.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] as in `filter_len`, [`Error::OutOfDomain`] when `wanted` is
    /// not strictly between 0 and 1, [`Error::RateUnreachable`] when the limits of k, of the bits per key and of the
    /// hash's width keep every filter above `wanted`.
    pub fn bits_per_key_for_rate(&self, keys: u64, wanted: f64) -> Result<BitsPerKey, Error> {
        proper_rate(wanted)?;
        let found = match self.rough_rate(0, BitsPerKey::whole(1))? {
            Some(_) => self.estimated_for_rate(keys, wanted),
            None => self.exact_for_rate(keys, wanted),
        };
        found.map(hundredths)
    }

    /// Returns hundredths of bits per key that reach a rate, in a format whose rates are estimates: most of the search is
    /// by rough ones.
    #[expect(clippy::cast_possible_truncation, reason = "casts stop at the limits")]
    #[expect(clippy::cast_sign_loss, reason = "sizes are positive")]
    fn estimated_for_rate(&self, keys: u64, wanted: f64) -> Result<u64, Error> {
        let equal = equal_hashes(self.hash_bits(), keys);
        let by_probes = wanted - equal;
        let reach = self.reach(keys).unwrap_or(u64::MAX);
        // No filter has a lower rate than that of independent probes.
        let lowest = |bits| {
            let FilterSize { bytes, probes } = self.size(keys, bits)?;
            let textbook = probes.map_or(Textbook::BEST, Textbook::with_probe_count);
            textbook.rate(bytes.saturating_mul(8).min(reach), keys)
        };
        // In filters as large as hash values reach, rates rise again while k grows.
        let (mut best, mut too_large) = ((lowest(BitsPerKey::whole(1))?, 1), None);
        for bits in (2..BITS_PER_KEY_AT_MOST_PROBES).chain([most_bits(reach, keys)]) {
            match lowest(BitsPerKey::whole(bits)) {
                Ok(rate) if rate < best.0 => best = (rate, bits),
                Ok(_) => {}
                Err(error) => too_large = too_large.or(Some(error)),
            }
        }
        let unreachable = || too_large.map_or_else(|| self.unreachable(keys, wanted, best.1), Err);
        let most = 100 * u64::from(best.1);
        let is_possible = |bits| lowest(hundredths(bits)).is_ok_and(|rate| rate * (1.0 - equal) <= by_probes);
        let Some(first) = least(1, most, is_possible) else {
            return unreachable();
        };
        // Rates, without the share of equal hash values, fall with a power of the size that is at most the textbook's.
        let most_power = |bits: u64| (bits as f64 / HUNDREDTHS_FOR_E).max(1.0);
        let approach = |start: u64, mut power: f64, is_full: bool| {
            let (mut low, mut high, mut at, mut last) = (first - 1, most + 1, start, None);
            for number in 1..=MOST_RATES {
                let bits = hundredths(at);
                let rate = match is_full {
                    true => self.expected_rate(keys, bits)?,
                    false => self.rough_rate(keys, bits)?.unwrap_or(1.0),
                };
                let above = libm::log1p(((rate - wanted) / by_probes).max(-0.999_999));
                let size = self.size(keys, bits)?;
                let is_same = |bits| self.size(keys, hundredths(bits)) == Ok(size);
                if above > 0.0 {
                    low = largest(at, most, is_same).unwrap_or(at);
                } else {
                    high = least(1, at, is_same).unwrap_or(at);
                }
                // Full rates take long: the first size that is enough is found.
                let is_close = above <= 0.0 && (is_full || above >= -CLOSE);
                if is_close || high - low < 2 + at / NEAR {
                    break;
                }
                if let Some((other, before)) = last.replace((at, above))
                    && u64::abs_diff(at, other) > at / NEAR
                {
                    let measured: f64 = (above - before) / libm::log(other as f64 / at as f64);
                    power = measured.clamp(0.5, most_power(at));
                }
                // Rates of few keys are rough guides: they fall with the square of the size, by chances of a start and a step.
                let (aim, power) = match is_full {
                    true => (LOWER * f64::from(number - 1), power.clamp(2.0, 5.0)),
                    false => (0.0, power),
                };
                let further = libm::exp((above + AIM + aim) / power).min(8.0);
                at = match low >= first && high <= most && number > 3 {
                    // Rates fall in steps where the probe count changes.
                    true => low.midpoint(high),
                    false => ((at as f64 * further) as u64).clamp(low + 1, high - 1),
                };
            }
            Ok((high, power))
        };
        let (found, power) = approach(first, most_power(first), false)?;
        let (found, _) = approach(found.min(most), power, true)?;
        if found > most { unreachable() } else { Ok(found) }
    }

    /// Returns the hundredths of bits per key that reach a rate: of the first whole number that does.
    fn exact_for_rate(&self, keys: u64, wanted: f64) -> Result<u64, Error> {
        let whole = u64::from(self.whole_bits_for_rate(keys, wanted)?);
        let size = |bits| self.size(keys, hundredths(bits)).ok();
        let (enough, too_small) = (size(100 * whole), size(100 * whole - 100).filter(|_| whole > 1));
        // Filters of one size have one rate.
        let is_enough = |bits| match size(bits) {
            size if size == enough => true,
            size if size == too_small => false,
            _ => self
                .expected_rate(keys, hundredths(bits))
                .is_ok_and(|rate| rate <= wanted),
        };
        Ok(least(100 * whole - 99, 100 * whole, is_enough).unwrap_or(100 * whole))
    }

    fn whole_bits_for_rate(&self, keys: u64, wanted: f64) -> Result<u32, Error> {
        let rate_at = |bits| self.expected_rate(keys, BitsPerKey::whole(bits));
        // While k grows, the rate can rise again, so all values are tried.
        let reach = self.reach(keys);
        let tried_singly = reach.map_or(BITS_OF_ROCKSDB_AT_MOST_PROBES, |_| BITS_PER_KEY_AT_MOST_PROBES);
        let (mut lowest, mut last) = ((f64::INFINITY, 1), None);
        for bits in 1..tried_singly {
            let size = self.size(keys, BitsPerKey::whole(bits))?;
            // Exact rates take long for a crowded filter, and there the bound is enough.
            let is_too_few = || Ok(keys > 0 && self.least_rate(keys, BitsPerKey::whole(bits))? > wanted);
            if last == Some(size) || is_too_few()? {
                continue;
            }
            last = Some(size);
            let reached = rate_at(bits)?;
            if reached <= wanted {
                return Ok(bits);
            }
            if reached < lowest.0 {
                lowest = (reached, bits);
            }
        }
        // From here on more bits seldom raise the rate, and beyond the reach of hash values they never lower it.
        let most = reach.map_or(MAX_BITS_OF_ROCKSDB, |reach| most_bits(reach, keys));
        let at_best = rate_at(most)?;
        if at_best > wanted {
            return self.unreachable(keys, wanted, if at_best < lowest.0 { most } else { lowest.1 });
        }
        // By doubling, because a small filter's rate is computed faster.
        let (mut low, mut high) = (tried_singly, tried_singly);
        while high < most && rate_at(high)? > wanted {
            low = high + 1;
            high = high.saturating_mul(2).min(most);
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if rate_at(middle)? <= wanted {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(high)
    }

    /// Returns the error for a rate that no filter reaches, nor that of most bits per key.
    fn unreachable<T>(&self, keys: u64, given: f64, best: u32) -> Result<T, Error> {
        let lowest = self.expected_rate(keys, BitsPerKey::whole(best))?;
        Err(Error::RateUnreachable { given, lowest })
    }

    /// Returns a lower bound for the rate of any filter of this length: the best Bloom filter if there are probes, less
    /// the error of computed rates, otherwise the information-theoretic minimum.
    fn least_rate(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        let bits = 8.0 * self.filter_len(keys, bits_per_key)? as f64 / keys as f64;
        let by_bits = match self.probe_count(keys, bits_per_key)? {
            Some(_) => 0.97 * libm::exp(-bits * LN_2 * LN_2),
            None => libm::exp2(-bits),
        };
        let lowest = self.rate_floor(keys, bits_per_key)?.max(by_bits);
        Ok(lowest.max(equal_hashes(self.hash_bits(), keys)))
    }

    /// Returns the bits per key of the filter of this many keys, at least one, with the lowest rate that takes at most this
    /// many bytes: 0 to 4,294,967,295, and 1 to 100 in RocksDB's formats. They are whole hundredths, and the fewest that
    /// give this filter. Bytes that hardly lower the rate are left, as are those beyond the largest filter that the format
    /// can have: rates can rise with the size where hash values of 32 bits reach no more bits, and where RocksDB's limit
    /// of 4 GiB leaves probes without bits.
    ///
    /// Formats that have the same number of probes in every filter use the bytes to the last step, with as many decimal
    /// places as that takes, so that filters of equal memory can be merged.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfDomain`] when `bytes` is less than the smallest filter: 9 bytes, 32 for split blocks, in RocksDB's
    /// formats the filter of these keys at one bit per key, and the binary fuse filter of these keys with 4 bits per
    /// fingerprint. [`Error::FilterTooLarge`] when there are more keys than a binary fuse filter can have.
    pub fn bits_per_key_for_len(&self, keys: u64, bytes: u64) -> Result<BitsPerKey, Error> {
        let keys = keys.max(1);
        let [few, many] = [1, 20].map(|bits| self.probe_count(1_000, BitsPerKey::whole(bits)));
        let is_fixed = few == many && few?.is_some();
        let unit = if is_fixed { BILLION } else { 100 };
        let at = |parts: u64| BitsPerKey::fractional(parts as f64 / unit as f64).unwrap_or(BitsPerKey::MAX);
        let limit = u64::from(u32::MAX);
        let (smallest, limit) = match self.reach(keys) {
            None => (1, MAX_BITS_OF_ROCKSDB.into()),
            // Some probes more can help a little where hash values reach no more bits.
            Some(reach) if !is_fixed => (0, (reach.div_ceil(keys) + 3).min(limit)),
            Some(_) => (0, limit),
        };
        let (smallest, limit) = (unit * smallest, unit * limit);
        let Some(most) = largest(smallest, limit, |parts| self.fits(keys, at(parts), bytes)) else {
            self.filter_len(keys, at(smallest))?;
            let allowed = "at least what the smallest filter of these keys takes";
            return Err(outside("memory in bytes", bytes as f64, allowed));
        };
        let len = self.filter_len(keys, at(most))?;
        let is_as_long = |parts| self.filter_len(keys, at(parts)).is_ok_and(|other| other >= len);
        let fewest = least(smallest, most, is_as_long).unwrap_or(most);
        if is_fixed {
            let mut rounded = (2..=9).map(|places| most - most % (BILLION / 10_u64.pow(places)));
            return Ok(at(rounded.find(|parts| *parts >= fewest).unwrap_or(most)));
        }
        let best = self.best_up_to(keys, fewest, most)?;
        // The fewest bits per key of this filter.
        let size = self.size(keys, hundredths(best))?;
        let is_alike = |bits| {
            let other = self.size(keys, hundredths(bits));
            other.is_ok_and(|other| {
                let has_as_many =
                    other.probes >= size.probes && other.probes.is_some() == size.probes.is_some();
                other.bytes >= size.bytes && has_as_many
            })
        };
        Ok(hundredths(least(smallest, best, is_alike).unwrap_or(best)))
    }

    /// Returns the hundredths of bits per key with the lowest rate up to `most`, of which all from `fewest` on give the
    /// longest filter. Rough rates choose, where a lower bound does not decide.
    fn best_up_to(&self, keys: u64, fewest: u64, most: u64) -> Result<u64, Error> {
        // Filters of few keys differ in the probe count alone, by less than rough rates err.
        let has_few_keys = most - fewest > 100;
        let rough = |bits| match self.rough_rate(keys, hundredths(bits))?.filter(|_| !has_few_keys) {
            Some(rate) => Ok(rate.max(equal_hashes(self.hash_bits(), keys))),
            None => self.expected_rate(keys, hundredths(bits)),
        };
        // Some sizes are bad ones, by the byte and by the line, in formats of 32-bit hash values.
        let steps: &[u64] = if self.hash_bits() > 32 { &[] } else { &[1, 2, 4, 8] };
        let near = steps
            .iter()
            .flat_map(|step| [most.saturating_sub(*step), most - most * step / 128]);
        // Whole numbers show every probe count up to 11.
        let whole = iter::successors(Some(most / 100), |bits| bits.checked_sub(1 + bits / 16));
        let whole = whole.map(|bits| 100 * bits).filter(|&bits| bits > 0);
        let (mut best, mut last) = ((rough(most)?, most), None);
        for bits in [fewest].into_iter().chain(near).chain(whole) {
            let size = Some(self.size(keys, hundredths(bits))?);
            if size != last && self.least_rate(keys, hundredths(bits))? < NOTICEABLE * best.0 {
                let rate = rough(bits)?;
                if rate < NOTICEABLE * best.0 {
                    best = (rate, bits);
                }
            }
            last = size;
        }
        // Rough rates may differ by more than sizes, and are no guide to tiny ones.
        let full = |bits| self.expected_rate(keys, hundredths(bits));
        let is_better = best.1 == most || full(best.1)? < NOTICEABLE * full(most)?;
        let best = if is_better { best.1 } else { most };
        // From here on more bits never raise the rate, and may not lower it.
        let (enough, half) = (100 * u64::from(BITS_PER_KEY_AT_MOST_PROBES), best / 2);
        if half <= enough {
            return Ok(best);
        }
        let wanted = full(best)? / NOTICEABLE;
        let is_enough = |bits| full(bits).is_ok_and(|rate| rate <= wanted);
        let fewest = (is_enough(half) || is_enough(half - half / 32)).then(|| least(enough, best, is_enough));
        Ok(fewest.flatten().unwrap_or(best))
    }

    /// Returns the largest number of keys whose filter takes at most this many bytes; 0 when not even an empty filter
    /// fits, or the bits per key are invalid. Every number of keys fits if a filter does not grow, at 0 bits per key or
    /// at RocksDB's 4 GiB. Binary fuse filters grow in steps, and a few keys more may take fewer bytes: another larger
    /// number may fit then.
    pub fn capacity(&self, bytes: u64, bits_per_key: BitsPerKey) -> u64 {
        largest(0, u64::MAX, |keys| self.fits(keys, bits_per_key, bytes)).unwrap_or(0)
    }

    /// Returns true if the filter takes at most this many bytes.
    fn fits(&self, keys: u64, bits_per_key: BitsPerKey, bytes: u64) -> bool {
        self.filter_len(keys, bits_per_key)
            .is_ok_and(|taken| taken <= bytes)
    }
}

/// Returns the bits per key with the lowest rate of at most 30 probes.
fn most_bits(reach: u64, keys: u64) -> u32 {
    let enough = reach.div_ceil(keys.max(1));
    u32::try_from(enough)
        .unwrap_or(u32::MAX)
        .max(BITS_PER_KEY_AT_MOST_PROBES)
}

fn hundredths(bits: u64) -> BitsPerKey {
    BitsPerKey::fractional(bits as f64 / 100.0).unwrap_or(BitsPerKey::MAX)
}

#[cfg(all(test, feature = "alloc", not(emulated)))]
mod tests;
