//! The fullest of a few buckets, as when keys are spread over machines or partitions.

use super::Hashed;
use crate::record::{Choice, ShardRow};
use statistics::buckets::BucketLaw;

/// Bucket choices and numbers of shards.
const SHARDS: [(Choice, u64); 6] = [
    (Choice::LowBits, 256),
    (Choice::LowBits, 16),
    (Choice::HighBits, 256),
    (Choice::HighBits, 16),
    (Choice::Prime, 251),
    (Choice::Prime, 13),
];
/// The least mean number of keys per shard: with fewer, the fullest shard says nothing.
const LEAST_KEYS: u64 = 5;

/// Returns the rows of one function, whose values of all keys of the dataset are `hashed`.
pub fn measure(dataset: &str, hashed: &Hashed<'_>) -> Vec<ShardRow> {
    let (bits, values) = (hashed.function.output_bits, hashed.values64());
    let keys = values.len() as u64;
    let asked = |&&(choice, buckets): &&(Choice, u64)| {
        // Remainders can only be even if there are many more values than buckets.
        let values = if choice == Choice::Prime {
            bits.saturating_sub(4)
        } else {
            bits
        };
        buckets * LEAST_KEYS <= keys && (values >= 64 || buckets <= 1 << values)
    };
    let rows = SHARDS.iter().filter(asked).map(|&(choice, buckets)| {
        // Constant divisors: dividing by a number unknown at compile time takes several times as long.
        let counts = match (choice, buckets) {
            (Choice::LowBits, _) => counted(values, |value| value & (buckets - 1)),
            (Choice::HighBits, _) => counted(values, |value| value >> (bits - buckets.ilog2())),
            (Choice::Prime, 251) => counted(values, |value| value % 251),
            (Choice::Prime, 13) => counted(values, |value| value % 13),
            _ => counted(values, |value| value % buckets),
        };
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

/// Counts the values in each shard.
fn counted(values: &[u64], shard: impl Fn(u64) -> u64) -> [u64; 256] {
    let mut counts = [0; 256];
    for &value in values {
        counts[shard(value) as usize] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions;

    fn of(values: Vec<u64>) -> Vec<ShardRow> {
        measure(
            "set",
            &Hashed::of_values(functions::find("CRC-32").unwrap(), values),
        )
    }

    #[test]
    fn the_fullest_shard_is_counted() {
        // Numbers below 40,000 are even by low bits and remainder, and all in the first shard by high bits.
        let rows = of((0..40_000).collect());
        let told: Vec<(Choice, u64, u64)> = rows
            .iter()
            .map(|row| (row.choice, row.buckets, row.fullest))
            .collect();
        assert_eq!(
            told,
            [
                (Choice::LowBits, 256, 157),
                (Choice::LowBits, 16, 2_500),
                (Choice::HighBits, 256, 40_000),
                (Choice::HighBits, 16, 40_000),
                (Choice::Prime, 251, 160),
                (Choice::Prime, 13, 3_077),
            ]
        );
        for row in &rows {
            let even = 40_000.0 / row.buckets as f64;
            assert!(
                row.fullest_expected > even && row.fullest_expected < 1.3 * even,
                "{row:?}"
            );
            assert_eq!(row.p_value < 1e-9, row.choice == Choice::HighBits, "{row:?}");
        }
    }

    #[test]
    fn few_keys_fill_few_shards() {
        assert_eq!(of((0..79).collect()).len(), 1);
        assert!(of(vec![1; 64]).is_empty());
    }
}
