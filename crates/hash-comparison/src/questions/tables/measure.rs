//! Hash tables with chains, with about one bucket for each key.

use super::OccupancyRow;
use crate::record::{Choice, Verdict};
use crate::values::Hashed;
use statistics::buckets::BucketLaw;

/// The fewest keys of a table: with fewer, its shape says nothing, and the laws assume many buckets.
pub const LEAST_KEYS: usize = 64;
/// The most keys of a table, the first ones of a larger dataset: more keys would take time and add no information.
pub const MAX_KEYS: usize = 1 << 20;
/// 2^64 over the golden ratio, odd (Knuth, The Art of Computer Programming 3, section 6.4).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// Output bits needed beyond those of the index: with fewer, multiples of [`GOLDEN`] need not share values evenly.
const FIBONACCI_SPARE_BITS: u32 = 8;

/// Fills tables with keys that have these values. Fewer than [`LEAST_KEYS`] keys give no row.
///
/// The number of buckets is the largest power of two, or the largest prime, that exceeds neither the number of keys nor
/// the number of possible values. Each row is that of a single test until all are judged.
pub fn measure(dataset: &str, hashed: &Hashed<'_>) -> Vec<OccupancyRow> {
    let (function, all) = (hashed.function, hashed.values64());
    let output_bits = function.output_bits;
    let values = &all[..all.len().min(MAX_KEYS)];
    let keys = values.len() as u64;
    if values.len() < LEAST_KEYS {
        return Vec::new();
    }
    let index_bits = keys.ilog2().min(output_bits);
    let largest = if output_bits < 64 {
        keys.min(1 << output_bits)
    } else {
        keys
    };
    let tables = [
        (Choice::LowBits, 1 << index_bits),
        (Choice::HighBits, 1 << index_bits),
        (Choice::Fibonacci, 1 << index_bits),
        (Choice::Remainder, largest_prime(largest)),
    ];
    tables
        .into_iter()
        .filter(|&(choice, _)| {
            choice != Choice::Fibonacci || index_bits + FIBONACCI_SPARE_BITS <= output_bits
        })
        .map(|(choice, buckets)| {
            let mut counts = vec![0_u32; buckets as usize];
            for &value in values {
                let bucket = match choice {
                    Choice::LowBits => value & (buckets - 1),
                    Choice::HighBits => value >> (output_bits - index_bits),
                    Choice::Fibonacci => value.wrapping_mul(GOLDEN) >> (64 - index_bits),
                    Choice::Remainder => value % buckets,
                };
                counts[bucket as usize] += 1;
            }
            let (mut pairs, mut longest, mut empty) = (0, 0, 0_u64);
            for &count in &counts {
                let count = u64::from(count);
                pairs += count * count.saturating_sub(1) / 2;
                longest = longest.max(count);
                empty += u64::from(count == 0);
            }
            let law = BucketLaw::remainders(keys, buckets, output_bits);
            let share = |count: f64| count / buckets as f64;
            let (hit, hit_expected) = (compared(pairs as f64, keys), compared(law.pairs(), keys));
            let (empty_share, empty_expected) = (share(empty as f64), share(law.empty()));
            OccupancyRow {
                dataset: dataset.to_owned(),
                function: function.name.to_owned(),
                choice,
                buckets,
                keys,
                hit,
                hit_expected,
                hit_low: hit,
                hit_high: hit,
                hit_p: law.pairs_p(pairs),
                miss: keys as f64 / buckets as f64,
                longest,
                longest_expected: law.longest(),
                longest_high: longest,
                longest_p: law.longest_p(longest),
                empty: empty_share,
                empty_expected,
                empty_low: empty_share,
                empty_high: empty_share,
                empty_p: law.empty_p(empty),
                p_adjusted: 1.0,
                verdict: Verdict::WithinChance,
            }
        })
        .collect()
}

/// Returns the mean number of keys compared per hit. A chain of c keys takes c (c + 1) / 2, which is c plus its pairs.
pub(super) fn compared(pairs: f64, keys: u64) -> f64 {
    1.0 + pairs / keys as f64
}

/// Returns the largest prime that is at most `limit`, which must be at least 2.
fn largest_prime(limit: u64) -> u64 {
    let is_prime = |number: u64| {
        (2..)
            .take_while(|&divisor| divisor * divisor <= number)
            .all(|divisor| !number.is_multiple_of(divisor))
    };
    (2..=limit).rev().find(|&number| is_prime(number)).unwrap_or(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_found() {
        let primes = [2, 3, 4, 100, 65_536, 1_000_000].map(largest_prime);
        assert_eq!(primes, [2, 3, 3, 97, 65_521, 999_983]);
    }
}
