//! Buckets as a hash table with chains sees them, with about one bucket for each key.

use super::Hashed;
use super::collisions::UNUSABLE_RATIO;
use crate::functions::Function;
use crate::keys::Dataset;
use crate::record::{Choice, OccupancyRow, Verdict};
use statistics::buckets::BucketLaw;
use statistics::correction::{FAMILY_LEVEL, bonferroni};

/// With fewer keys a table's shape says nothing, and the laws are of many buckets.
pub const LEAST_KEYS: usize = 64;
/// Of a larger dataset the first so many keys go into a table: more would say no more, and take long.
pub const MOST_KEYS: usize = 1 << 20;
/// Questions in a row: compared keys, the fullest bucket, empty buckets.
const TESTS_IN_ROW: usize = 3;
/// 2^64 over the golden ratio, odd (Knuth, The Art of Computer Programming 3, section 6.4).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// Values for each bucket, as a power of two, below which the multiples of [`GOLDEN`] need not share values evenly.
const FIBONACCI_SPARE_BITS: u32 = 8;

/// What one function does to a table of one dataset, not judged yet.
#[derive(Debug, Clone, PartialEq)]
pub struct RawOccupancy {
    row: OccupancyRow,
    law: BucketLaw,
    /// Pairs of keys in a bucket.
    pairs: u64,
}

/// Fills tables with the keys of `dataset`, as `function` says; no row for fewer than [`LEAST_KEYS`] keys.
pub fn measure(dataset: &Dataset, function: &Function) -> Vec<RawOccupancy> {
    if dataset.keys.len() < LEAST_KEYS {
        return Vec::new();
    }
    let keys = dataset.keys.iter().take(MOST_KEYS);
    let values: Vec<u64> = keys.map(|key| (function.hash)(key)).collect();
    of_values(&dataset.name, function.name, function.output_bits, &values)
}

/// The same of values that other measurements look at, too.
///
/// # Panics
///
/// If `hashed` is not of the keys of `dataset`.
pub fn of_hashed(dataset: &Dataset, hashed: &Hashed<'_>) -> Vec<RawOccupancy> {
    let values = hashed.values64();
    assert_eq!(values.len(), dataset.keys.len(), "values of other keys");
    let first = &values[..values.len().min(MOST_KEYS)];
    let function = hashed.function;
    of_values(&dataset.name, function.name, function.output_bits, first)
}

/// The same of values already known; bits above `output_bits` are zero.
///
/// Powers of two: the largest that is no more than the keys, nor than the values there are. Primes: the largest that is
/// no more than either.
pub fn of_values(dataset: &str, function: &str, output_bits: u32, values: &[u64]) -> Vec<RawOccupancy> {
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
        (Choice::Prime, largest_prime(largest)),
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
                    Choice::Prime => value % buckets,
                };
                counts[bucket as usize] += 1;
            }
            let law = BucketLaw::remainders(keys, buckets, output_bits);
            row((dataset, function), choice, keys, &counts, law)
        })
        .collect()
}

fn row(
    (dataset, function): (&str, &str),
    choice: Choice,
    keys: u64,
    counts: &[u32],
    law: BucketLaw,
) -> RawOccupancy {
    let buckets = counts.len() as u64;
    let (mut pairs, mut longest, mut empty) = (0, 0, 0_u64);
    for &count in counts {
        let count = u64::from(count);
        pairs += count * count.saturating_sub(1) / 2;
        longest = longest.max(count);
        empty += u64::from(count == 0);
    }
    RawOccupancy {
        pairs,
        row: OccupancyRow {
            dataset: dataset.to_owned(),
            function: function.to_owned(),
            choice,
            buckets,
            keys,
            hit: compared(pairs as f64, keys),
            hit_expected: compared(law.pairs(), keys),
            hit_low: 0.0,
            hit_high: 0.0,
            hit_p: law.pairs_p(pairs),
            miss: keys as f64 / buckets as f64,
            longest,
            longest_expected: law.longest(),
            longest_high: 0,
            longest_p: law.longest_p(longest),
            empty: empty as f64 / buckets as f64,
            empty_expected: law.empty() / buckets as f64,
            empty_low: 0.0,
            empty_high: 0.0,
            empty_p: law.empty_p(empty),
            p_adjusted: 1.0,
            verdict: Verdict::InBand,
        },
        law,
    }
}

/// Keys compared for each key: c (c + 1) / 2 is c and the pairs of c.
fn compared(pairs: f64, keys: u64) -> f64 {
    1.0 + pairs / keys as f64
}

/// The least and the largest count that is no surprise, where surprises begin on both sides of `middle`, at most `most`.
fn band(middle: f64, most: u64, is_surprise: impl Fn(u64) -> bool) -> (u64, u64) {
    let middle = (middle as u64).min(most);
    let last = |mut inside: u64, end: u64, towards: fn(u64, u64) -> u64| {
        // By growing steps out of the band, then by halves back to its edge.
        let mut step = 1;
        let mut outside = loop {
            let next = towards(inside, step.min(inside.abs_diff(end)));
            if next == inside {
                return inside;
            }
            if is_surprise(next) {
                break next;
            }
            inside = next;
            step *= 2;
        };
        while inside.abs_diff(outside) > 1 {
            let between = inside.midpoint(outside);
            if is_surprise(between) {
                outside = between;
            } else {
                inside = between;
            }
        }
        inside
    };
    (
        last(middle, 0, |at, by| at - by),
        last(middle, most, |at, by| at + by),
    )
}

/// Judges all that was measured, in the given order.
pub fn judge(raw: Vec<RawOccupancy>) -> Vec<OccupancyRow> {
    let tests = raw.len() * TESTS_IN_ROW;
    raw.into_iter()
        .map(|RawOccupancy { mut row, law, pairs }| {
            let all_pairs = (u128::from(row.keys) * u128::from(row.keys - 1) / 2) as u64;
            let surprises = |p: f64| bonferroni(p, tests) < FAMILY_LEVEL;
            let (low, high) = band(law.pairs(), all_pairs, |count| surprises(law.pairs_p(count)));
            (row.hit_low, row.hit_high) = (compared(low as f64, row.keys), compared(high as f64, row.keys));
            let (low, high) = band(law.empty(), row.buckets, |count| surprises(law.empty_p(count)));
            let share = |count: u64| count as f64 / row.buckets as f64;
            (row.empty_low, row.empty_high) = (share(low), share(high));
            row.longest_high = band(row.longest_expected, row.keys, |count| {
                surprises(law.longest_p(count))
            })
            .1;
            let least = row.hit_p.min(row.longest_p).min(row.empty_p);
            row.p_adjusted = bonferroni(least, tests);
            let more_pairs = surprises(row.hit_p) && row.hit > row.hit_expected;
            let more_empty = surprises(row.empty_p) && row.empty > row.empty_expected;
            row.verdict = if more_pairs && pairs as f64 >= UNUSABLE_RATIO * law.pairs() {
                Verdict::Unusable
            } else if more_pairs || more_empty || surprises(row.longest_p) {
                Verdict::MeasurablyWorse
            } else if surprises(least) {
                Verdict::FewerThanChance
            } else {
                Verdict::InBand
            };
            row
        })
        .collect()
}

/// The largest prime that is at most `limit`, which is at least 2.
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

    fn judged(values: &[u64], bits: u32) -> Vec<OccupancyRow> {
        judge(of_values("d", "f", bits, values))
    }

    #[test]
    fn primes_are_found() {
        assert_eq!(
            [2, 3, 4, 100, 65_536, 1_000_000].map(largest_prime),
            [2, 3, 3, 97, 65_521, 999_983]
        );
    }

    #[test]
    fn figures_by_hand() {
        // A hundred keys: 40 in bucket 0 of 64 and the others one to a bucket.
        let values: Vec<u64> = (0..100).map(|i| if i < 40 { 64 * i } else { i - 39 }).collect();
        let rows = judged(&values, 32);
        let low = &rows[0];
        assert_eq!(
            (low.choice, low.buckets, low.keys, low.longest),
            (Choice::LowBits, 64, 100, 40)
        );
        assert!((low.hit - (100.0 + 780.0) / 100.0).abs() < 1e-12, "{low:?}");
        assert!((low.miss - 100.0 / 64.0).abs() < 1e-12);
        assert!((low.empty - 3.0 / 64.0).abs() < 1e-12);
        assert_eq!(low.verdict, Verdict::MeasurablyWorse);
        // The high bits are all zero.
        let high = &rows[1];
        assert_eq!((high.longest, high.verdict), (100, Verdict::Unusable));
        assert_eq!(rows.last().unwrap().buckets, 97);
    }

    #[test]
    fn bands_end_where_surprises_begin() {
        for (middle, most, low, high) in [
            (50.0, 100, 40, 61),
            (0.3, 100, 0, 7),
            (99.9, 100, 40, 100),
            (5.0, 5, 0, 5),
        ] {
            let found = band(middle, most, |count| !(low..=high).contains(&count));
            assert_eq!(found, (low, high), "{middle} of {most}");
        }
        let even = |count: u64| (0..count).map(|i| i.wrapping_mul(GOLDEN)).collect::<Vec<u64>>();
        for row in judged(&even(3000), 64).into_iter().chain(judged(&[1; 64], 8)) {
            let outside = |low, value, high| value < low || value > high;
            assert!(
                row.hit_low <= row.hit_expected && row.hit_expected <= row.hit_high,
                "{row:?}"
            );
            assert!(
                row.empty_low <= row.empty_expected && row.empty_expected <= row.empty_high,
                "{row:?}"
            );
            let surprises = outside(row.hit_low, row.hit, row.hit_high)
                || outside(row.empty_low, row.empty, row.empty_high)
                || row.longest > row.longest_high;
            assert_eq!(surprises, row.p_adjusted < FAMILY_LEVEL, "{row:?}");
        }
    }

    #[test]
    fn one_key_a_bucket_is_fewer_than_chance() {
        let rows = judged(&(0..4096).collect::<Vec<u64>>(), 32);
        assert_eq!((rows[0].hit, rows[0].verdict), (1.0, Verdict::FewerThanChance));
    }

    #[test]
    fn few_keys_and_few_values_give_no_nonsense() {
        assert!(judged(&[1; 63], 32).is_empty());
        for bits in [1, 2, 8, 64] {
            for row in judged(&[1; 64], bits) {
                assert!(
                    row.hit.is_finite() && row.hit_p.is_finite() && row.longest_expected.is_finite(),
                    "{row:?}"
                );
                assert!(
                    (0.0..=1.0).contains(&row.empty_p) && (0.0..=1.0).contains(&row.hit_p),
                    "{row:?}"
                );
            }
        }
    }
}
