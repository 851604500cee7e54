//! Filters of exactly some number of keys: their rate with an ideal hash, calculated.

use std::sync::{Mutex, PoisonError};

use filter_policy::formats;
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy as _};
use serde::Serialize;

use crate::questions::filters::USUAL_BITS;
use crate::questions::judging::IDEAL_BITS;
use crate::record::{Choice, CostRow, FunctionSummary, Unit};

/// Returns the rate of an ideal hash in a filter of exactly these keys.
fn rate(keys: u64, bits_per_key: BitsPerKey) -> Option<f64> {
    /// The rates known so far: each takes milliseconds to compute, and every function needs them.
    static KNOWN: Mutex<Vec<(u64, BitsPerKey, Option<f64>)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((.., rate)) = known
        .iter()
        .find(|(at, bits, _)| (*at, *bits) == (keys, bits_per_key))
    {
        return *rate;
    }
    let rate = formats::LEVEL_DB.expected_rate(keys, bits_per_key).ok();
    known.push((keys, bits_per_key, rate));
    rate
}

/// Returns the rates in a filter of exactly these keys: of an ideal hash, and of a random function of this width.
pub(super) fn at(row: &CostRow, function: &FunctionSummary, keys: u64) -> Option<[f64; 2]> {
    if row.unit != Unit::FalsePositives {
        return None;
    }
    let bits_per_key = BitsPerKey::whole(u32::try_from(row.size).ok()?);
    if row.choice == Some(Choice::Halves) {
        return Some([formats::SPLIT_BLOCK.expected_rate(keys, bits_per_key).ok()?; 2]);
    }
    let ideal = rate(keys, bits_per_key)?;
    let equal = match function.output_bits {
        IDEAL_BITS.. => 0.0,
        bits => equal(keys, bits),
    };
    Some([ideal, ideal + (1.0 - ideal) * equal])
}

/// Returns the share of absent keys whose hash of so many bits is that of a key.
fn equal(keys: u64, bits: u32) -> f64 {
    -libm::expm1(keys as f64 * libm::log1p(-libm::ldexp(1.0, -(bits as i32))))
}

/// Compares LevelDB's filter with one whose hash has 64 bits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WiderHash {
    /// The rate of a filter of as many bits with a 64-bit hash.
    pub rate: f64,
    /// The share of absent keys whose 32-bit hash is that of a key, if that is a tenth of the rate of LevelDB's filter or more.
    pub equal: Option<f64>,
}

/// Returns what follows from a filter with a 64-bit hash, [`formats::BLOOM64`], in the place of a row and with this number of keys;
/// `None` for the rows of other questions.
pub fn wider_hash(row: &CostRow, keys: u64) -> Option<WiderHash> {
    let of_filters = row.unit == Unit::FalsePositives && row.choice.is_none();
    let bits_per_key = BitsPerKey::whole(u32::try_from(row.size).ok().filter(|_| of_filters)?);
    let equal = equal(keys, IDEAL_BITS);
    Some(WiderHash {
        rate: formats::BLOOM64.expected_rate(keys, bits_per_key).ok()?,
        equal: rate(keys, bits_per_key)
            .is_some_and(|rate| equal >= rate / 10.0)
            .then_some(equal),
    })
}

/// A filter in which even an ideal hash has a rate more than a tenth above that of the next good size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnluckySize {
    /// Number of keys.
    pub keys: u64,
    /// Bits per key.
    pub bits_per_key: u32,
    /// The rate.
    pub rate: f64,
    /// The rate at the size that `coprime_sizes` of `filter-policy` takes instead.
    pub good: f64,
}

/// Returns the rates of LevelDB's filter of exactly this many keys if its size is unlucky.
pub fn unlucky_size(keys: u64) -> Option<UnluckySize> {
    let bits_per_key = BitsPerKey::whole(USUAL_BITS);
    let policy = BloomFilterPolicy::new(bits_per_key).coprime_sizes();
    let good_bytes = policy.max_filter_len(usize::try_from(keys).ok()?).ok()? as u64 - 1;
    // Half a byte less than the bits, which are rounded up to bytes.
    let good_bits = BitsPerKey::fractional((8 * good_bytes - 4) as f64 / keys as f64).ok()?;
    let [rate, good] = [rate(keys, bits_per_key)?, rate(keys, good_bits)?];
    (rate > 1.1 * good).then_some(UnluckySize {
        keys,
        bits_per_key: USUAL_BITS,
        rate,
        good,
    })
}
