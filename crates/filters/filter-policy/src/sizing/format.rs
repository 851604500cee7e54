//! The sizes and rates of the stored formats.

use core::f64::consts::LN_2;

use crate::{BitsPerKey, Error};

use super::search::{largest, least};
use super::textbook::{equal_hashes, proper_rate};
use crate::AnyFormat;
use crate::error::outside;

/// From this many bits per key on, k stays at 30.
const BITS_PER_KEY_AT_MOST_PROBES: u32 = 44;

/// The share of a rate that another one must be below to be worth another size.
const NOTICEABLE: f64 = 0.999;

/// Filters of so many bytes of 32-bit hash values always gain by more bits.
const FEW_BYTES: u64 = 1 << 26;

/// The most sizes after the first that are tried because a rough rate was too low.
const CORRECTIONS: u32 = 20;

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
    /// of LevelDB and Basho, whose rates are estimates, somewhat fewer may suffice.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] as in `filter_len`, [`Error::OutOfDomain`] when `wanted` is
    /// not strictly between 0 and 1, [`Error::RateUnreachable`] when the limits of k, of the bits per key and of the
    /// hash's width keep every filter above `wanted`.
    pub fn bits_per_key_for_rate(&self, keys: u64, wanted: f64) -> Result<BitsPerKey, Error> {
        proper_rate(wanted)?;
        let rough = |bits| {
            let rate = self.rough_rate(keys, bits)?;
            Ok(rate.max(equal_hashes(self.hash_bits(), keys)))
        };
        if let Ok(mut found) = self.hundredths_for_rate(keys, wanted, rough) {
            // A rough rate may be a little too low. A hundredth of a bit lowers the best rate by a two-hundredth.
            for _ in 0..CORRECTIONS {
                let rate = self.expected_rate(keys, hundredths(found))?;
                if rate <= wanted {
                    return Ok(hundredths(found));
                }
                #[expect(clippy::cast_possible_truncation, reason = "a cast stops at the limits")]
                let more = (208.0 * libm::log(rate / wanted)) as u64 + 1;
                found += more;
            }
        }
        // Takes longer.
        self.hundredths_for_rate(keys, wanted, |bits| self.expected_rate(keys, bits))
            .map(hundredths)
    }

    /// Returns the hundredths of bits per key that reach a rate by this function.
    fn hundredths_for_rate(
        &self,
        keys: u64,
        wanted: f64,
        rate: impl Fn(BitsPerKey) -> Result<f64, Error>,
    ) -> Result<u64, Error> {
        let whole = u64::from(self.whole_bits_for_rate(keys, wanted, |bits| rate(BitsPerKey::whole(bits)))?);
        let is_enough = |bits| rate(hundredths(bits)).is_ok_and(|rate| rate <= wanted);
        Ok(least(100 * whole - 99, 100 * whole, is_enough).unwrap_or(100 * whole))
    }

    fn whole_bits_for_rate(
        &self,
        keys: u64,
        wanted: f64,
        rate_at: impl Fn(u32) -> Result<f64, Error>,
    ) -> Result<u32, Error> {
        let unreachable = |bits| {
            let (given, lowest) = (wanted, rate_at(bits)?);
            Err(Error::RateUnreachable { given, lowest })
        };
        // While k grows, the rate can rise again in filters as large as hash values reach, so all values are tried.
        let reach = self.reach(keys);
        let tried_singly = reach.map_or(MAX_BITS_OF_ROCKSDB + 1, |_| BITS_PER_KEY_AT_MOST_PROBES);
        let mut lowest = (f64::INFINITY, 1);
        for bits in 1..tried_singly {
            // Exact rates take long for a crowded filter, and there the bound is enough.
            if keys > 0 && bits + 1 < tried_singly && self.least_rate(keys, BitsPerKey::whole(bits))? > wanted
            {
                continue;
            }
            let reached = rate_at(bits)?;
            if reached <= wanted {
                return Ok(bits);
            }
            if reached < lowest.0 {
                lowest = (reached, bits);
            }
        }
        let Some(reach) = reach else {
            return unreachable(lowest.1);
        };
        // From here on more bits never raise the rate, and beyond the reach of hash values they never lower it.
        let enough = u32::try_from(reach.div_ceil(keys.max(1))).unwrap_or(u32::MAX);
        let most = enough.max(BITS_PER_KEY_AT_MOST_PROBES);
        let at_best = rate_at(most)?;
        if at_best > wanted {
            return unreachable(if at_best < lowest.0 { most } else { lowest.1 });
        }
        // By doubling, because a small filter's rate is computed faster.
        let (mut low, mut high) = (BITS_PER_KEY_AT_MOST_PROBES, BITS_PER_KEY_AT_MOST_PROBES);
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

    /// Returns a lower bound for the rate of any filter of this length: the best Bloom filter if there are probes, less
    /// the error of computed rates, otherwise the information-theoretic minimum.
    fn least_rate(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        let bits = 8.0 * self.filter_len(keys, bits_per_key)? as f64 / keys as f64;
        let by_bits = match self.probe_count(keys, bits_per_key)? {
            Some(_) => 0.97 * libm::exp(-bits * LN_2 * LN_2),
            None => libm::exp2(-bits),
        };
        Ok(by_bits.max(equal_hashes(self.hash_bits(), keys)))
    }

    /// Returns the bits per key of the filter of this many keys with the lowest rate that takes at most this many bytes: 0
    /// to 4,294,967,295, and 1 to 100 in RocksDB's formats. Rates can rise with the size: where hash values of 32 bits
    /// reach no more bits, and where RocksDB's limit of 4 GiB leaves probes without bits.
    ///
    /// The bits per key are whole hundredths, the fewest that give this filter. Formats that have the same number of
    /// probes in every filter use the bytes to the last step, so that filters of equal memory can be merged.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfDomain`] when `bytes` is less than the smallest filter: 9 bytes, 32 for split blocks, in RocksDB's
    /// formats the filter of these keys at one bit per key, and the binary fuse filter of these keys with 4 bits per
    /// fingerprint. [`Error::FilterTooLarge`] when `bytes` is more than the largest filter that the format can have.
    pub fn bits_per_key_for_len(&self, keys: u64, bytes: u64) -> Result<BitsPerKey, Error> {
        let (least_bits, most_bits) = self
            .reach(keys)
            .map_or((1, MAX_BITS_OF_ROCKSDB), |_| (0, u32::MAX));
        let (least_bits, most_bits) = (100 * least_bits, 100 * u64::from(most_bits));
        let found = largest(least_bits, most_bits, |bits| {
            self.fits(keys, hundredths(bits), bytes)
        });
        let allowed = "at least what the smallest filter of these keys takes";
        let found = found.ok_or_else(|| outside("memory in bytes", bytes as f64, allowed))?;
        if found < most_bits
            && let Err(error @ Error::FilterTooLarge { .. }) = self.filter_len(keys, hundredths(found + 1))
        {
            return Err(error);
        }
        let all = [least_bits, found].map(|bits| self.probe_count(keys, hundredths(bits)));
        let most = match &all {
            [Ok(few), Ok(many)] if few == many => self.to_the_last_step(keys, hundredths(found), bytes),
            _ => hundredths(found),
        };
        let len = self.filter_len(keys, most)?;
        // Bits per key that give a filter of this length.
        let is_as_long = |bits| {
            self.filter_len(keys, hundredths(bits))
                .is_ok_and(|short| short >= len)
        };
        let fewest = least(least_bits, found, is_as_long).map_or(most, hundredths);
        if matches!(&all, [Ok(few), Ok(many)] if few == many) {
            return Ok(fewest);
        }
        self.best_below(keys, fewest, most)
    }

    /// Returns the fewest decimal places that give the longest filter of at most this many bytes, from bits per key on
    /// that are less than a hundredth below it.
    fn to_the_last_step(&self, keys: u64, from: BitsPerKey, bytes: u64) -> BitsPerKey {
        let to = |bits| BitsPerKey::fractional(bits).unwrap_or(from);
        let (mut low, mut high) = (from.get(), from.get() + 0.01);
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            if self.fits(keys, to(middle), bytes) {
                low = middle;
            } else {
                high = middle;
            }
        }
        let longest = self.filter_len(keys, to(low));
        let mut rounded = (2..=12).map(|places| {
            let unit = libm::pow(10.0, f64::from(places));
            to(libm::floor(low * unit) / unit)
        });
        let is_longest = |bits: &BitsPerKey| self.filter_len(keys, *bits) == longest;
        rounded.find(is_longest).unwrap_or(to(low))
    }

    /// Returns the bits per key of the lowest rate up to `most`, of which all from `fewest` on give the longest filter.
    fn best_below(&self, keys: u64, fewest: BitsPerKey, most: BitsPerKey) -> Result<BitsPerKey, Error> {
        let mut best = (self.expected_rate(keys, most)?, most);
        // Filters of one length differ in the probe count, which whole numbers show and the highest of many settles.
        let in_one_length = most.get().min(f64::from(MAX_BITS_OF_ROCKSDB));
        self.look(keys, fewest.get(), &mut best)?;
        let mut bits = libm::ceil(fewest.get());
        while bits < in_one_length {
            self.look(keys, bits, &mut best)?;
            bits += 1.0;
        }
        let is_wide = self.hash_bits() > 32;
        if !is_wide {
            // Some sizes are bad ones: by the byte, and in RocksDB's legacy format by whole lines.
            let lines = self.reach(keys).map_or(32, |_| 0);
            for part in 1..=8.max(lines) {
                let step = if part <= 8 { f64::from(part) / 100.0 } else { 0.0 };
                self.look(keys, (most.get() - step).max(0.0), &mut best)?;
                self.look(keys, most.get() * (1.0 - f64::from(part) / 128.0), &mut best)?;
            }
        }
        if !is_wide && self.filter_len(keys, most)? > FEW_BYTES {
            let mut bits = most.get();
            while bits > 1.0 {
                self.look(keys, bits, &mut best)?;
                bits = match bits > f64::from(BITS_PER_KEY_AT_MOST_PROBES) {
                    true => 0.9 * bits,
                    false => libm::ceil(bits) - 1.0,
                };
            }
            let around = best.1.get();
            for tenths in -9..=9 {
                let near = around + f64::from(tenths) / 10.0;
                if near < most.get() && near > 0.0 {
                    self.look(keys, near, &mut best)?;
                }
            }
        }
        Ok(best.1)
    }

    /// Takes these bits per key in place of the best so far if their rate is lower.
    fn look(&self, keys: u64, bits: f64, best: &mut (f64, BitsPerKey)) -> Result<(), Error> {
        let bits = BitsPerKey::fractional(bits)?;
        // A lower bound takes less time.
        if self.least_rate(keys.max(1), bits)? < best.0 {
            let rate = self.expected_rate(keys, bits)?;
            if rate < NOTICEABLE * best.0 {
                *best = (rate, bits);
            }
        }
        Ok(())
    }

    /// Returns the largest number of keys whose filter takes at most this many bytes; 0 when not even an empty filter
    /// fits, or the bits per key are invalid. Every number of keys fits if a filter does not grow, at 0 bits per key or
    /// at RocksDB's 4 GiB. Binary fuse filters grow in steps, and a few keys more may take fewer bytes: another larger
    /// number may fit then.
    pub fn capacity(&self, bytes: u64, bits_per_key: BitsPerKey) -> u64 {
        largest(0, u64::MAX, |keys| self.fits(keys, bits_per_key, bytes)).unwrap_or(0)
    }

    /// Returns the width of the hash values.
    fn fits(&self, keys: u64, bits_per_key: BitsPerKey, bytes: u64) -> bool {
        self.filter_len(keys, bits_per_key)
            .is_ok_and(|taken| taken <= bytes)
    }
}

fn hundredths(bits: u64) -> BitsPerKey {
    BitsPerKey::fractional(bits as f64 / 100.0).unwrap_or(BitsPerKey::MAX)
}

#[cfg(all(test, feature = "alloc", not(emulated)))]
mod tests;
