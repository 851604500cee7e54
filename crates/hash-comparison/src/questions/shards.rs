//! The fullest of a few shards, as when keys are spread over machines or partitions.

use super::{Cost, Measure, Question, Records, rows};
use crate::record::{Choice, Purpose, about};
use crate::values::{Hashed, in_buckets};
use crate::words::placed;
use records::number::grouped;
use statistics::buckets::BucketLaw;
use statistics::correction::{FAMILY_LEVEL, bonferroni};

rows! {
    /// A row of `shards.csv`: the fullest of some buckets.
    pub struct ShardRow: [dataset, function] {
        /// The way in which buckets are chosen.
        pub choice: Choice,
        /// Number of buckets.
        pub buckets: u64,
        /// Distinct keys.
        pub keys: u64,
        /// Keys in the fullest bucket.
        pub fullest: u64,
        /// Expected keys in the fullest bucket of a random function.
        pub fullest_expected: f64,
        /// Upper-tail p-value.
        pub p_value: f64,
    }
}

pub(super) const QUESTION: Question = Question {
    measure: Measure::Values(|dataset, hashed, records| {
        records.shards.extend(measure(&dataset.name, hashed));
    }),
    costs: |records, dataset, function| {
        let cost = |row: &ShardRow| Cost {
            purpose: Purpose::Shard,
            place: placed(row.buckets, "shards", row.choice),
            measured: row.fullest as f64,
            chance: row.fullest_expected,
            p_adjusted: bonferroni(row.p_value, records.shards.len()),
        };
        about(&records.shards, &dataset.name, &function.name)
            .map(cost)
            .collect()
    },
    ..Question::NONE
};

/// Numbers of shards chosen by the low bits.
const BY_LOW_BITS: [u64; 4] = [256, 64, 16, 4];
/// Numbers of shards chosen by the high bits: value times shards over 2^bits. The last are not powers of two.
const BY_HIGH_BITS: [u64; 6] = [256, 64, 16, 4, 100, 12];
/// Numbers of shards chosen by the remainder, none a power of two.
const BY_REMAINDER: [u64; 10] = [251, 200, 100, 48, 24, 13, 12, 10, 6, 3];
/// The least mean number of keys per shard: with fewer, the fullest shard says nothing.
const LEAST_KEYS: u64 = 5;

/// Returns the rows of one function, whose values of all keys of the dataset are `hashed`.
pub fn measure(dataset: &str, hashed: &Hashed<'_>) -> Vec<ShardRow> {
    let (bits, values) = (hashed.function.output_bits, hashed.values64());
    let keys = values.len() as u64;
    let is_asked = |choice, shards: u64| {
        // Products and remainders can only be even if there are many more values than shards.
        let values = if shards.is_power_of_two() && choice != Choice::Remainder {
            bits
        } else {
            bits.saturating_sub(4)
        };
        shards * LEAST_KEYS <= keys && (values >= 64 || shards <= 1 << values)
    };
    let asked = (BY_LOW_BITS.map(|shards| (Choice::LowBits, shards)).into_iter())
        .chain(BY_HIGH_BITS.map(|shards| (Choice::HighBits, shards)))
        .chain(BY_REMAINDER.map(|shards| (Choice::Remainder, shards)))
        .filter(|&(choice, shards)| is_asked(choice, shards));
    let rows = asked.map(|(choice, buckets)| {
        let counts = in_buckets(values.iter().copied(), buckets, |value| match choice {
            Choice::LowBits => value & (buckets - 1),
            Choice::HighBits | Choice::Fibonacci => {
                ((u128::from(value) * u128::from(buckets)) >> bits) as u64
            }
            Choice::Remainder => value % buckets,
        });
        let fullest = counts.into_iter().max().unwrap_or_default();
        let law = BucketLaw::remainders(keys, buckets, bits);
        ShardRow {
            dataset: dataset.to_owned(),
            function: hashed.function.name.to_owned(),
            choice,
            buckets,
            keys,
            fullest,
            fullest_expected: law.longest(),
            p_value: law.longest_p(fullest),
        }
    });
    rows.collect()
}

/// Describes the fullest of the shards of one choice that chance explains least.
pub(crate) fn fullest(records: &Records, dataset: &str, function: &str, choice: Choice) -> Option<String> {
    let shards = about(&records.shards, dataset, function).filter(|row| row.choice == choice);
    let row = shards.max_by(|a, b| b.p_value.total_cmp(&a.p_value))?;
    let place = placed(row.buckets, "shards", choice);
    let [fullest, chance] =
        [row.fullest as f64, row.fullest_expected].map(|keys| grouped(keys.round() as u64));
    let verdict = match bonferroni(row.p_value, records.shards.len()) < FAMILY_LEVEL {
        true => "",
        false => ", within chance",
    };
    Some(format!(
        "; the fullest of {place} has {fullest} keys (chance: {chance}{verdict})"
    ))
}
