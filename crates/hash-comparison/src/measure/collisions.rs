//! Collisions: distinct keys minus distinct values, at three widths.
//!
//! A verdict depends on how many tests there are in all, so measuring and judging are two steps: [`measure`] each
//! function on each dataset, then [`judge`] all of it.

use std::collections::HashMap;

use super::Hashed;
use crate::keys::Dataset;
use crate::record::{CollisionRow, Verdict};
use statistics::collisions::CollisionLaw;
use statistics::correction::{FAMILY_LEVEL, bonferroni};

/// Widths that are compared besides a function's own: at fewer bits, small sets can tell functions apart.
pub const NARROW_BITS: [u32; 2] = [24, 20];

/// Confidence of the interval in a row.
pub const INTERVAL_LEVEL: f64 = 0.99;

/// A function is unusable when surely this many times as many keys collide as by chance: collisions double with each
/// bit of width, so four bits are lost.
pub const UNUSABLE_RATIO: f64 = 16.0;

/// What one function does to the keys of one dataset, not judged yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawCollisions {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the function.
    pub function: String,
    /// Distinct keys.
    pub keys: u64,
    /// Widths and the collisions at each, widest first, no width twice.
    pub counts: Vec<(u32, u64)>,
    /// Indices of two keys with one value at the widest width: the first key, in the order of the dataset, that shares
    /// its value with another, and the next key that has this value.
    pub example: Option<(usize, usize)>,
}

/// The widths at which a function of `compared_bits` bits is compared, widest first.
pub fn widths(compared_bits: u32) -> impl Iterator<Item = u32> {
    std::iter::once(compared_bits).chain(NARROW_BITS.into_iter().filter(move |&bits| bits < compared_bits))
}

/// Counts the collisions of one function on one dataset.
///
/// # Panics
///
/// If `hashed` is not of the keys of `dataset`.
pub fn measure(dataset: &Dataset, hashed: &Hashed<'_>) -> RawCollisions {
    let values = hashed.values();
    assert_eq!(values.len(), dataset.keys.len(), "values of other keys");
    let own = hashed.function.compared_bits();
    let keys = values.len() as u64;
    let low = hashed.low();
    let mut repeated = low.repeated().to_vec();
    repeated.sort_unstable();
    RawCollisions {
        dataset: dataset.name.clone(),
        function: hashed.function.name.to_owned(),
        keys,
        counts: widths(own)
            .map(|bits| (bits, keys - low.different(bits)))
            .collect(),
        example: first_pair(values, &repeated),
    }
}

/// See [`RawCollisions::example`]; `repeated` are the values that are there more than once, in order.
fn first_pair(values: impl Iterator<Item = u32>, repeated: &[u32]) -> Option<(usize, usize)> {
    let mut values = values.enumerate();
    let (first, shared) = values.find(|(_, value)| repeated.binary_search(value).is_ok())?;
    let (second, _) = values.find(|&(_, value)| value == shared)?;
    Some((first, second))
}

/// Judges everything that was measured: one row for each width of each function on each dataset, in the given order.
pub fn judge(raw: &[RawCollisions]) -> Vec<CollisionRow> {
    let tests = raw.iter().map(|one| one.counts.len()).sum();
    // Band ends take many p-values and depend on little; all functions of a dataset share them.
    let mut laws: HashMap<(u64, u32), (CollisionLaw, (u64, u64))> = HashMap::new();
    raw.iter()
        .flat_map(|one| {
            one.counts
                .iter()
                .map(move |&(bits, collisions)| (one, bits, collisions))
        })
        .map(|(one, bits, collisions)| {
            let (law, band) = *laws.entry((one.keys, bits)).or_insert_with(|| {
                let law = CollisionLaw::new(one.keys, bits);
                (law, law.band(tests))
            });
            let (ci_low, ci_high) = law.mean_interval(collisions, INTERVAL_LEVEL);
            let p_value = law.two_sided_p(collisions);
            let p_adjusted = bonferroni(p_value, tests);
            CollisionRow {
                dataset: one.dataset.clone(),
                function: one.function.clone(),
                bits,
                keys: one.keys,
                collisions,
                expected: law.expected(),
                p_value,
                ci_low,
                ci_high,
                band_low: band.0 as f64,
                band_high: band.1 as f64,
                p_adjusted,
                verdict: verdict(collisions as f64, law.expected(), ci_low, p_adjusted),
            }
        })
        .collect()
}

pub(super) fn verdict(collisions: f64, expected: f64, ci_low: f64, p_adjusted: f64) -> Verdict {
    if p_adjusted >= FAMILY_LEVEL {
        Verdict::InBand
    } else if collisions < expected {
        Verdict::FewerThanChance
    } else if ci_low >= UNUSABLE_RATIO * expected {
        Verdict::Unusable
    } else {
        Verdict::MeasurablyWorse
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::functions::{self, Function};
    use crate::keys::{Recipe, sha256};
    use crate::record::DatasetKind;

    fn dataset(count: usize) -> Dataset {
        let keys = Recipe::DistinctBelow1e9.keys(1, count);
        Dataset {
            name: "ids".to_owned(),
            kind: DatasetKind::File,
            source: String::new(),
            sha256: sha256(&keys),
            keys,
            duplicates_dropped: 0,
            seed: 1,
            recipe: None,
        }
    }

    fn function(output_bits: u32) -> Function {
        Function {
            output_bits,
            ..*functions::find("CRC-32").unwrap()
        }
    }

    fn raw(values: Vec<u32>, output_bits: u32) -> RawCollisions {
        let function = function(output_bits);
        let dataset = dataset(values.len());
        let values = values.into_iter().map(u64::from).collect();
        measure(&dataset, &Hashed::of_values(&function, values))
    }

    #[test]
    fn no_width_is_there_twice_or_wider_than_the_function() {
        let of = |bits| widths(bits).collect::<Vec<_>>();
        assert_eq!(of(32), [32, 24, 20]);
        assert_eq!(of(28), [28, 24, 20]);
        assert_eq!(of(24), [24, 20]);
        assert_eq!(of(20), [20]);
        assert_eq!(of(1), [1]);
    }

    proptest! {
        #![proptest_config(crate::property::config())]

        #[test]
        fn counts_and_example_are_those_of_the_definition(
            values in prop::collection::vec(prop_oneof![0_u32..40, any::<u32>()], 0..60),
        ) {
            let raw = raw(values.clone(), 32);
            for &(bits, collisions) in &raw.counts {
                let mask = u32::MAX >> (32 - bits);
                let distinct: HashSet<u32> = values.iter().map(|value| value & mask).collect();
                prop_assert_eq!(collisions, (values.len() - distinct.len()) as u64);
            }
            let first_pair = (0..values.len())
                .flat_map(|first| (first + 1..values.len()).map(move |second| (first, second)))
                .find(|&(first, second)| values[first] == values[second]);
            prop_assert_eq!(raw.example, first_pair);
        }
    }

    #[test]
    fn the_four_verdicts() {
        // 40,000 keys at 20 bits: 753 collisions expected, 645 to 862 in the band of 207 tests.
        let verdict_of = |collisions: u64| {
            let one = |collisions| RawCollisions {
                dataset: "ids".to_owned(),
                function: "f".to_owned(),
                keys: 40_000,
                counts: vec![(20, collisions)],
                example: None,
            };
            let mut raw = vec![one(753); 206];
            raw.insert(0, one(collisions));
            let rows = judge(&raw);
            assert_eq!(rows.len(), 207);
            assert_eq!((rows[0].band_low, rows[0].band_high), (645.0, 862.0));
            rows[0].verdict
        };
        let verdicts = [0, 644, 645, 753, 862, 863, 12_000, 13_000, 39_999].map(verdict_of);
        use Verdict::{FewerThanChance, InBand, MeasurablyWorse, Unusable};
        assert_eq!(
            verdicts,
            [
                FewerThanChance,
                FewerThanChance,
                InBand,
                InBand,
                InBand,
                MeasurablyWorse,
                MeasurablyWorse,
                Unusable,
                Unusable
            ]
        );
    }

    #[test]
    fn a_function_that_maps_one_to_one_has_fewer_than_chance() {
        let rows = judge(&[raw((0..40_000).collect(), 20)]);
        assert_eq!(
            (rows[0].collisions, rows[0].verdict),
            (0, Verdict::FewerThanChance)
        );
    }
}
