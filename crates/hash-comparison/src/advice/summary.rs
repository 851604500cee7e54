//! Summaries of datasets for the records.

use crate::keys::Dataset;
use crate::record::DatasetSummary;
use statistics::collisions::CollisionLaw;

/// The width of `detectable_ratio`.
const FULL_BITS: u32 = 32;

/// Returns the summary of a dataset in a run whose `collisions.csv` has `tests` rows.
///
/// `detectable_ratio` is the least number of collisions at 32 bits that would have been called worse than chance, over
/// the expected number; 0 when there are so few keys that no number would have been.
pub fn summarise(dataset: &Dataset, tests: usize) -> DatasetSummary {
    let keys = dataset.keys.len() as u64;
    let bytes = dataset.keys.total_bytes() as u64;
    let lengths = || dataset.keys.iter().map(|key| key.len() as u64);
    DatasetSummary {
        name: dataset.name.clone(),
        kind: dataset.kind,
        source: dataset.source.clone(),
        keys,
        bytes,
        min_len: lengths().min().unwrap_or(0),
        max_len: lengths().max().unwrap_or(0),
        mean_len: bytes as f64 / keys.max(1) as f64,
        sha256: dataset.sha256.clone(),
        duplicates_dropped: dataset.duplicates_dropped,
        detectable_ratio: detectable_ratio(keys, tests),
    }
}

fn detectable_ratio(keys: u64, tests: usize) -> f64 {
    let law = CollisionLaw::new(keys, FULL_BITS);
    let (_, most_by_chance) = law.band(tests);
    if most_by_chance + 1 < keys {
        (most_by_chance + 1) as f64 / law.expected()
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_keys_show_smaller_differences_and_too_few_none() {
        // A million keys: 116.4 expected, standard deviation 10.8, four of them for one test in 207 at 1 %.
        let [few, many] = [45_402, 1_000_000].map(|keys| detectable_ratio(keys, 207));
        assert!(few > many && (1.35..1.5).contains(&many), "{few} {many}");
        assert_eq!([0, 1].map(|keys| detectable_ratio(keys, 207)), [0.0, 0.0]);
    }
}
