//! The rate of LevelDB's probe sequence, counted on filters of random hash values.
//!
//! The start and step of the sequence come from one 32-bit hash value, and the third probe, `h + 2 rotr(h, 17)`, takes
//! only 196,608 values, so the rate varies with the arithmetic of the filter's length, and no formula for it is known.

use alloc::vec::Vec;

use filter_policy::hashers::LevelDbHash;
use filter_policy::leveldb;
use filter_policy::{BitsPerKey, BloomFilterPolicy, Error};

use super::textbook::{equal_hashes, rate as ideal};
use filter_policy::FilterPolicy as _;
use filter_policy::HashedPolicy as _;

/// The number of false positives to count: one standard deviation is 0.5 %.
const ENOUGH: u64 = 40_000;
/// The maximum number of queries: one standard deviation is 0.6 % at a rate of one in 10,000, and 2 % at one in
/// 100,000.
const MAX_QUERIES: u64 = 1 << 28;
/// The longest filter to build, in bits: 64 MiB.
const MAX_BITS: u64 = 1 << 29;
/// The length in bits of a filter that represents a longer one.
const SAMPLE_BITS: u64 = 1 << 24;
/// If probes could add at most this share of the rate of equal hash values, the rate of ideal probes is used.
const NEGLIGIBLE: f64 = 0.01;

/// The number of standard deviations by which matches must be off to stop early: many, because filters differ and every
/// call is checked.
const CLEAR: f64 = 10.0;

/// Returns the rate, equal hash values included, within about 1 %, or 4 % for rare matches. Above [`MAX_BITS`] it
/// combines the rate of a shorter filter with the longer one's equal hash values. If the rate is clearly above or below
/// `wanted`, the result is less exact and faster.
pub(super) fn rate(keys: u64, bits_per_key: BitsPerKey, wanted: Option<f64>) -> Result<f64, Error> {
    let (bits, equal) = (leveldb::filter_bits(bits_per_key, keys)?, equal_hashes(keys));
    if keys == 0 {
        return Ok(0.0);
    }
    let with_equal = |by_probes: f64| by_probes + equal * (1.0 - by_probes);
    let by_ideal_probes = ideal(
        bits.min(1 << 32),
        keys,
        u32::from(leveldb::probe_count(bits_per_key)),
    )?;
    // One value in `bits` has a step that leads nowhere. Beyond the reach of a hash value, a shorter filter does not
    // represent a longer one.
    if bits > 1 << 32 || (10.0 * by_ideal_probes + 1.0 / bits as f64) * (1.0 - equal) <= NEGLIGIBLE * equal {
        return Ok(with_equal(by_ideal_probes));
    }
    if bits <= MAX_BITS {
        return counted(keys, bits_per_key, by_ideal_probes, wanted);
    }
    let fewer = u128::from(keys) * u128::from(SAMPLE_BITS) / u128::from(bits);
    let fewer = u64::try_from(fewer).unwrap_or(keys);
    if fewer == 0 || leveldb::filter_bits(bits_per_key, fewer)? > MAX_BITS {
        return Ok(with_equal(by_ideal_probes));
    }
    let equal_of_fewer = equal_hashes(fewer);
    let wanted = wanted
        .map(|wanted| equal_of_fewer + (1.0 - equal_of_fewer) * (wanted - equal) / (1.0 - equal))
        .filter(|&wanted| wanted > 0.0);
    let all = counted(fewer, bits_per_key, by_ideal_probes, wanted)?;
    Ok(with_equal((all - equal_of_fewer) / (1.0 - equal_of_fewer)))
}

/// Counts matches in filters of random hash values, always the same ones, for other values. `expected` is about the
/// rate.
fn counted(keys: u64, bits_per_key: BitsPerKey, expected: f64, wanted: Option<f64>) -> Result<f64, Error> {
    let policy = BloomFilterPolicy::<LevelDbHash>::leveldb_builtin(bits_per_key);
    let (mut hashes, mut filter) = (
        reserved(keys)?,
        reserved(leveldb::filter_bits(bits_per_key, keys)? / 8 + 1)?,
    );
    filter.resize(filter.capacity(), 0);
    let mut random = Random(keys);
    // Small filters differ in rate, which matters less if fewer queries match; clearing a long filter costs as much as
    // many queries.
    let for_key = match expected {
        4e-3.. => 16,
        5e-4.. => 64,
        5e-5.. => 256,
        _ => 1024,
    };
    let queries = (for_key * keys).max(filter.len() as u64).clamp(1 << 10, 1 << 22);
    let (mut asked, mut matches) = (0_u64, 0_u64);
    let is_clear = |asked: u64, matches: u64| {
        wanted.is_some_and(|wanted| {
            let (matches, wanted) = (matches as f64, wanted * asked as f64);
            let off = matches - wanted;
            off * off > CLEAR * CLEAR * matches.max(wanted).max(1.0)
        })
    };
    let mut answers = [0; BATCH / 64];
    while matches < ENOUGH && asked < MAX_QUERIES && !is_clear(asked, matches) {
        if asked.is_multiple_of(queries / BATCH as u64 * BATCH as u64) && (asked == 0 || keys < 1 << 20) {
            hashes.clear();
            hashes.extend((0..keys).map(|_| random.next()));
            policy.build_hashes_in(hashes.iter().copied(), &mut filter)?;
        }
        let batch: [u32; BATCH] = core::array::from_fn(|_| random.next());
        policy.prepare(&filter).may_match_hashes(&batch, &mut answers)?;
        matches += answers
            .iter()
            .map(|word: &u64| u64::from(word.count_ones()))
            .sum::<u64>();
        asked += BATCH as u64;
    }
    Ok(matches as f64 / asked as f64)
}

/// The number of hash values in one query call.
const BATCH: usize = 1 << 10;

fn reserved<T>(len: u64) -> Result<Vec<T>, Error> {
    let mut memory = Vec::new();
    let refused = Error::AllocationFailed { bytes: usize::MAX };
    let len = usize::try_from(len).map_err(|_| refused)?;
    let bytes = len.saturating_mul(size_of::<T>());
    memory
        .try_reserve_exact(len)
        .map_err(|_| Error::AllocationFailed { bytes })?;
    Ok(memory)
}

/// SplitMix64 (Steele, Lea and Flood 2014), upper halves of the values.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((value ^ (value >> 31)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    #[test]
    fn long_filters_have_the_rate_of_equal_hashes_at_least() {
        for (keys, bits) in [(100_000_000, 10), (1 << 33, 10), (10_000_000, 100), (1 << 60, 1)] {
            let rate = rate(keys, BitsPerKey::whole(bits), None).unwrap();
            let equal = equal_hashes(keys);
            assert!(rate >= equal && rate <= 1.0, "{keys} {bits}: {rate}");
        }
        assert_eq!(rate(0, BitsPerKey::whole(10), None), Ok(0.0));
    }
}
