//! Chains of keys in hash tables with about one bucket for each key.

use super::{Cost, Measure, Question, rows};
use crate::chance::FAR_WORSE_RATIO;
use crate::record::{Choice, FunctionSummary, Purpose, Verdict, about};
use crate::values::{Hashed, in_buckets};
use crate::words::placed;
use statistics::buckets::BucketLaw;
use statistics::correction::{FAMILY_LEVEL, bonferroni};
use statistics::root::band;

/// The bucket choices whose cost counts. The other choices show how to make up for a weak function.
const CHOICES: [Choice; 2] = [Choice::LowBits, Choice::Remainder];

rows! {
    /// A row of `occupancy.csv`: chains of keys in a hash table with about one bucket for each key.
    pub struct OccupancyRow: [dataset, function] {
        /// The way in which the table chooses buckets.
        pub choice: Choice,
        /// Number of buckets.
        pub buckets: u64,
        /// Keys in the table.
        pub keys: u64,
        /// Mean number of keys compared to find a present key: the sum of c (c + 1) / 2 over buckets of c keys, divided
        /// by the number of keys.
        pub hit: f64,
        /// Expected `hit` of a random function.
        pub hit_expected: f64,
        /// Lower end of the range of `hit` in which random functions lie, in every row of 99 of 100 files.
        pub hit_low: f64,
        /// Upper end of that range.
        pub hit_high: f64,
        /// Two-sided p-value of `hit`.
        pub hit_p: f64,
        /// Mean number of keys compared for an absent key with a random bucket: keys per bucket.
        pub miss: f64,
        /// Keys in the fullest bucket.
        pub longest: u64,
        /// Expected `longest` of a random function.
        pub longest_expected: f64,
        /// Upper end of the range of `longest` in which random functions lie, in every row of 99 of 100 files.
        pub longest_high: u64,
        /// Upper-tail p-value of `longest`.
        pub longest_p: f64,
        /// Share of empty buckets.
        pub empty: f64,
        /// Expected `empty` of a random function.
        pub empty_expected: f64,
        /// Lower end of the range of `empty` in which random functions lie, in every row of 99 of 100 files.
        pub empty_low: f64,
        /// Upper end of that range.
        pub empty_high: f64,
        /// Two-sided p-value of `empty`.
        pub empty_p: f64,
        /// The least of the three p-values, corrected for the number of tests in the file, three a row (Bonferroni).
        pub p_adjusted: f64,
        /// The verdict of this row.
        pub verdict: Verdict,
    }
}

pub(super) const QUESTION: Question = Question {
    measure: Measure::Values(|dataset, hashed, records| {
        records.occupancy.extend(measure(&dataset.name, hashed));
    }),
    judge: |records| judge(&mut records.occupancy, &records.run.functions),
    costs: |records, dataset, function| {
        let rows = about(&records.occupancy, &dataset.name, &function.name);
        let cost = |row: &OccupancyRow| Cost {
            purpose: Purpose::Table,
            place: placed(row.buckets, "buckets", row.choice),
            measured: row.hit,
            chance: row.hit_expected,
            p_adjusted: bonferroni(row.hit_p, records.occupancy.len() * TESTS_IN_ROW),
        };
        rows.filter(|row| CHOICES.contains(&row.choice))
            .map(cost)
            .collect()
    },
    ..Question::NONE
};

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
            let counts = in_buckets(values.iter().copied(), buckets, |value| match choice {
                Choice::LowBits => value & (buckets - 1),
                Choice::HighBits => value >> (output_bits - index_bits),
                Choice::Fibonacci => value.wrapping_mul(GOLDEN) >> (64 - index_bits),
                Choice::Remainder => value % buckets,
            });
            let (mut pairs, mut longest, mut empty) = (0, 0, 0_u64);
            for count in counts {
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
fn compared(pairs: f64, keys: u64) -> f64 {
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

/// The tests of a row: compared keys, the fullest bucket, empty buckets.
const TESTS_IN_ROW: usize = 3;

/// Judges the rows of a run about these functions.
pub fn judge(rows: &mut [OccupancyRow], functions: &[FunctionSummary]) {
    let tests = rows.len() * TESTS_IN_ROW;
    let surprises = |p: f64| bonferroni(p, tests) < FAMILY_LEVEL;
    for row in rows {
        let function = functions.iter().find(|one| one.name == row.function);
        let (keys, buckets) = (row.keys, row.buckets);
        let law = BucketLaw::remainders(keys, buckets, function.map_or(64, |one| one.output_bits));
        let all_pairs = (u128::from(keys) * u128::from(keys - 1) / 2) as u64;
        let (hit_low, hit_high) = band(law.pairs(), all_pairs, |count| surprises(law.pairs_p(count)));
        let (empty_low, empty_high) = band(law.empty(), buckets, |count| surprises(law.empty_p(count)));
        (_, row.longest_high) = band(law.longest(), keys, |count| surprises(law.longest_p(count)));
        [row.hit_low, row.hit_high] = [hit_low, hit_high].map(|pairs| compared(pairs as f64, keys));
        [row.empty_low, row.empty_high] = [empty_low, empty_high].map(|count| count as f64 / buckets as f64);
        let least = row.hit_p.min(row.longest_p).min(row.empty_p);
        row.p_adjusted = bonferroni(least, tests);
        let more_pairs = surprises(row.hit_p) && row.hit > row.hit_expected;
        let more_empty = surprises(row.empty_p) && row.empty > row.empty_expected;
        row.verdict = if more_pairs && row.hit - 1.0 >= FAR_WORSE_RATIO * (row.hit_expected - 1.0) {
            Verdict::FarWorseThanChance
        } else if more_pairs || more_empty || surprises(row.longest_p) {
            Verdict::WorseThanChance
        } else if surprises(least) {
            Verdict::FewerThanChance
        } else {
            Verdict::WithinChance
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::Function;

    #[test]
    fn keys_that_fill_a_table_evenly_take_fewer_comparisons_than_chance() {
        let function = Function::custom("f", 32, |_| 0, &[]);
        let mut rows = measure("numbers", &Hashed::of_values(&function, (0..4096).collect()));
        judge(&mut rows, &[function.summary()]);
        let even = &rows[0];
        assert_eq!(
            (even.choice, even.hit, even.verdict),
            (Choice::LowBits, 1.0, Verdict::FewerThanChance)
        );
        // The high bits are all zero.
        assert_eq!(
            (rows[1].longest, rows[1].verdict),
            (4096, Verdict::FarWorseThanChance)
        );
    }
}
