//! The state of a filter, for all kinds, and what follows from the share of ones.

use core::fmt;

use crate::java_math;
use crate::steps::Rule;

/// The state of a filter. It prints as a line of text.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// The number of keys: in a counting filter the insertions minus the removals, in a cuckoo filter with all copies, in
    /// RedisBloom's the insertions that changed bits, and in others an estimate, or `None` if too few bits are left for one.
    pub len: Option<u64>,
    /// Is true if `len` is estimated, not counted.
    pub is_estimate: bool,
    /// The number of bits, counters or slots.
    pub places: u64,
    /// The number of them that are set, not 0 or taken.
    pub taken: u64,
    /// The size of the places in bytes.
    pub memory_bytes: u64,
    /// The probe count k; `None` without probes, and of a chain whose links differ in it.
    pub probe_count: Option<u32>,
    /// Is true if k was chosen for a number of keys, so that it may not fit the keys that are there.
    pub is_probe_count_chosen: bool,
    /// The probability that an absent key seems to be in the filter now; in a cuckoo filter, if no key was inserted
    /// more than once. Guava's and Spark's `expectedFpp` is `fill()` to the power of the probe count instead, which is far
    /// too low for small filters.
    pub expected_rate: f64,
}

/// An estimate of how full a filter is, from a sample of its bits.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Load {
    /// The number of different keys, with a standard error below one per cent; `None` if all bits are set.
    pub len: Option<u64>,
    /// The probability that an absent key seems to be in the filter now. The probes of a key are taken to be independent,
    /// unlike in [`Stats`], which makes it too low for filters of a few keys.
    pub rate: f64,
}

/// The number of words of which a sample consists.
pub(crate) const SAMPLE: usize = 4096;

impl Load {
    /// Returns the load of a Bloom filter with this share of ones.
    pub(crate) fn of_ones(share: f64, bits: u64, probe_count: u32) -> Self {
        let len = balls(share) * bits as f64 / f64::from(probe_count);
        Self {
            len: (share < 1.0).then(|| java_math::round(len)),
            rate: libm::pow(share, probe_count.into()),
        }
    }
}

/// Returns the rate of a Bloom filter if the probes of a key were independent.
pub(crate) fn ideal_rate(bits: u64, keys: u64, probe_count: u32) -> f64 {
    let probes = f64::from(probe_count);
    libm::pow(-libm::expm1(-probes * keys as f64 / bits as f64), probes)
}

impl Stats {
    /// Returns the share of places that are taken, 0 to 1.
    #[must_use]
    pub fn fill(&self) -> f64 {
        self.taken as f64 / self.places as f64
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.len {
            Some(len) => {
                let about = if self.is_estimate { "about " } else { "" };
                write!(f, "{about}{len} {}", if len == 1 { "key" } else { "keys" })?;
            }
            None => f.write_str("too full to estimate the number of keys")?,
        }
        let (fill, rate) = (self.fill() * 100.0, self.expected_rate * 100.0);
        write!(
            f,
            " in {} bytes, {fill:.1} % taken, {rate:.3} % false positives",
            self.memory_bytes
        )
    }
}

/// Returns the false-positive rate of a filter with this number of ones: that of the number of keys which they suggest,
/// because the probes are not independent.
pub(crate) fn rate(rule: Rule, ones: u64, bits: u64, probe_count: u32) -> f64 {
    if ones == bits {
        return 1.0;
    }
    let len = balls(ones as f64 / bits as f64) * bits as f64 / f64::from(probe_count);
    // One key may have set fewer bits than it has probes.
    rule.rate(bits, len.max(ones.min(1) as f64), probe_count)
}

/// Returns how many balls for each bit give this share of ones.
fn balls(share: f64) -> f64 {
    -libm::log1p(-share)
}

/// Estimates the number of keys of a filter with this number of ones: `-bits / probes * ln(1 - share)`. `None` if the filter
/// holds more keys than it is best at, with more ones than zeros, and the standard error is above 5 %.
///
/// Source: Swamidass and Baldi, "Mathematical Correction for Fingerprint Similarity Measures to Improve Chemical Retrieval"
/// (2007), as used in Guava's `approximateElementCount`. The error follows from the variance of the number of empty places
/// when balls are thrown into `bits` places.
pub(crate) fn estimated_len(ones: u64, bits: u64, probe_count: u32) -> Option<u64> {
    let (share, bits) = (ones as f64 / bits as f64, bits as f64);
    let balls = balls(share);
    let variance = (1.0 / (1.0 - share) - 1.0 - balls) / bits;
    let is_precise = share <= 0.5 || variance <= (0.05 * balls) * (0.05 * balls);
    is_precise.then(|| java_math::round(balls * bits / f64::from(probe_count)))
}
