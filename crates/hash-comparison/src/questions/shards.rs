//! The fullest of a few shards, as when keys are spread over machines or partitions.

use super::{Cost, Measure, Question, Records, of_function, recorded};
use crate::record::{Choice, Purpose, about, stored};
use crate::values::Hashed;
use crate::words::placed;
use records::number::grouped;
use statistics::buckets::BucketLaw;
use statistics::correction::{FAMILY_LEVEL, bonferroni};

stored! {
    /// A row of `shards.csv`: the fullest of some buckets.
    pub struct ShardRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
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

recorded! {
    ShardRow: [dataset, function, choice, buckets];
}

/// The question.
pub(super) const QUESTION: Question = Question {
    measure: Measure::Values(|dataset| {
        of_function(dataset, |dataset, hashed, records| {
            records.shards.extend(measure(&dataset.name, hashed));
        })
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
    let counts = Counts::of(values, bits);
    let asked = (BY_LOW_BITS.map(|shards| (Choice::LowBits, shards)).into_iter())
        .chain(BY_HIGH_BITS.map(|shards| (Choice::HighBits, shards)))
        .chain(BY_REMAINDER.map(|shards| (Choice::Remainder, shards)))
        .filter(|&(choice, shards)| is_asked(choice, shards));
    let rows = asked.map(|(choice, buckets)| {
        let fullest = counts.fullest(choice, buckets, values, bits);
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

/// A common multiple of the numbers of shards by remainder except 13 and 251: their remainders follow from this one.
const COMMON: u64 = 1_200;

/// Values counted by low byte, high byte and remainders, from which most shards follow.
struct Counts {
    low: [u64; 256],
    /// Empty for functions of fewer than eight bits, which have no 256 shards by the high bits.
    high: Vec<u64>,
    remainders: Vec<u64>,
}

impl Counts {
    fn of(values: &[u64], bits: u32) -> Self {
        let mut counts = Self {
            low: [0; 256],
            high: vec![0; 256],
            remainders: vec![0; COMMON as usize],
        };
        // The loop is short, and constant divisors take a fraction of the time of unknown ones.
        let (to_top, wide) = (bits.saturating_sub(8), bits >= 8);
        for &value in values {
            counts.low[value as usize & 255] += 1;
            counts.high[(value >> to_top) as usize & 255] += 1;
            counts.remainders[(value % COMMON) as usize] += 1;
        }
        if !wide {
            counts.high.clear();
        }
        counts
    }

    fn fullest(&self, choice: Choice, shards: u64, values: &[u64], bits: u32) -> u64 {
        let each = |shard: &dyn Fn(u64) -> u64| {
            let mut counts = [0; 256];
            for &value in values {
                counts[shard(value) as usize] += 1;
            }
            most(counts)
        };
        let product = |value: u64| ((u128::from(value) * u128::from(shards)) >> bits) as u64;
        match choice {
            Choice::LowBits => most(folded(&self.low, |low| low % shards as usize)),
            Choice::HighBits if shards.is_power_of_two() && !self.high.is_empty() => {
                most(folded(&self.high, |high| high * shards as usize / 256))
            }
            Choice::HighBits | Choice::Fibonacci => each(&product),
            Choice::Remainder if COMMON.is_multiple_of(shards) => {
                most(folded(&self.remainders, |rest| rest % shards as usize))
            }
            Choice::Remainder => each(&|value| value % shards),
        }
    }
}

/// Adds up counts by the shard of their index.
fn folded(counts: &[u64], shard: impl Fn(usize) -> usize) -> [u64; 256] {
    let mut shards = [0; 256];
    for (index, count) in counts.iter().enumerate() {
        shards[shard(index)] += count;
    }
    shards
}

fn most(counts: [u64; 256]) -> u64 {
    counts.into_iter().max().unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::Function;
    use crate::questions::filters::Ideal;

    fn of(values: &[u64], bits: u32) -> Vec<ShardRow> {
        let function = Function::custom("f", bits, |_| 0, &[]);
        measure("set", &Hashed::of_values(&function, values.to_vec()))
    }

    #[test]
    fn the_fullest_shard_is_counted() {
        // Numbers below 40,000 are even by low bits and remainder, and all in the first shard by high bits.
        let rows = of(&Vec::from_iter(0..40_000), 32);
        assert_eq!(
            rows.len(),
            BY_LOW_BITS.len() + BY_HIGH_BITS.len() + BY_REMAINDER.len()
        );
        for row in &rows {
            let even = 40_000.0 / row.buckets as f64;
            assert!((even..1.3 * even).contains(&row.fullest_expected), "{row:?}");
            assert_eq!(row.p_value < 1e-9, row.choice == Choice::HighBits, "{row:?}");
        }
        // Few keys fill few shards.
        assert!(of(&Vec::from_iter(0..79), 32).iter().all(|row| row.buckets <= 15));
        assert!(of(&[1; 14], 32).is_empty());
    }

    #[test]
    fn every_way_of_counting_gives_the_same() {
        for bits in [6, 8, 12, 32, 64] {
            let ideal = Ideal::drawn(1, 0);
            let value = |key: u64| ideal.wide(&key.to_le_bytes()) >> (64 - bits);
            let values: Vec<u64> = (0..5_000).map(value).collect();
            let rows = of(&values, bits);
            assert!(rows.len() >= 5, "{bits}: {rows:?}");
            for row in rows {
                let mut counts = vec![0; row.buckets as usize];
                for &value in &values {
                    let shard = match row.choice {
                        Choice::HighBits => (u128::from(value) * u128::from(row.buckets)) >> bits,
                        _ => u128::from(value % row.buckets),
                    };
                    counts[shard as usize] += 1;
                }
                assert_eq!(Some(&row.fullest), counts.iter().max(), "{bits}: {row:?}");
            }
        }
    }
}
