//! What the records say of a dataset.

use crate::keys::Dataset;
use crate::record::DatasetSummary;
use statistics::collisions::CollisionLaw;

/// Width of which `detectable_ratio` speaks.
const FULL_BITS: u32 = 32;

/// The summary of a dataset in a run whose `collisions.csv` has `tests` rows.
///
/// `detectable_ratio` is the least number of collisions at 32 bits that would have been called worse than chance, over
/// the expected number; 0 when there are so few keys that no number would have been.
pub fn summarise(dataset: &Dataset, tests: usize) -> DatasetSummary {
    let keys = dataset.keys.len() as u64;
    let (min_len, max_len) = dataset.length_range();
    DatasetSummary {
        name: dataset.name.clone(),
        kind: dataset.kind,
        source: dataset.source.clone(),
        keys,
        bytes: dataset.keys.total_bytes() as u64,
        min_len: min_len as u64,
        max_len: max_len as u64,
        mean_len: dataset.mean_length(),
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
    fn more_keys_show_smaller_differences() {
        let ratios = [45_402, 1_000_000, 10_000_000].map(|keys| detectable_ratio(keys, 207));
        assert!(ratios.is_sorted_by(|a, b| a > b), "{ratios:?}");
        // A million keys: 116.4 expected, standard deviation 10.8, four of them for one test in 207 at 1 %.
        assert!((1.35..1.5).contains(&ratios[1]), "{ratios:?}");
    }

    #[test]
    fn sets_too_small_to_tell_say_so() {
        assert_eq!([0, 1].map(|keys| detectable_ratio(keys, 207)), [0.0, 0.0]);
        // Two keys collide at 32 bits once in four thousand million times: that would be told.
        assert!(detectable_ratio(2, 207) > 1e9);
    }
}
