//! Collisions: distinct keys minus distinct values, at three widths.

use super::CollisionRow;
use crate::chance::INTERVAL_LEVEL;
use crate::keys::{Dataset, printed};
use crate::questions::Example;
use crate::record::Verdict;
use crate::values::Hashed;
use statistics::collisions::CollisionLaw;

/// Widths compared in addition to a function's own: at fewer bits, small sets can tell functions apart.
pub const NARROW_BITS: [u32; 2] = [24, 20];

/// The collisions of one function on one dataset, not judged yet.
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

impl RawCollisions {
    /// Returns the rows, each that of a single test until all are judged.
    pub fn rows(&self) -> impl Iterator<Item = CollisionRow> {
        self.counts.iter().map(|&(bits, collisions)| {
            let law = CollisionLaw::new(self.keys, bits);
            let (ci_low, ci_high) = law.mean_interval(collisions, INTERVAL_LEVEL);
            let p_value = law.two_sided_p(collisions);
            CollisionRow {
                dataset: self.dataset.clone(),
                function: self.function.clone(),
                bits,
                keys: self.keys,
                collisions,
                expected: law.expected(),
                p_value,
                ci_low,
                ci_high,
                band_low: 0.0,
                band_high: self.keys as f64,
                p_adjusted: p_value,
                verdict: Verdict::WithinChance,
            }
        })
    }

    /// Returns the two keys of `example` in print.
    pub fn printed(&self, dataset: &Dataset) -> Option<Example> {
        let (first, second) = self.example?;
        Some(Example {
            dataset: self.dataset.clone(),
            function: self.function.clone(),
            keys: [first, second].map(|index| printed(dataset.keys.get(index))),
        })
    }
}

/// Returns the widths at which a function of `compared_bits` bits is compared, widest first.
pub fn widths(compared_bits: u32) -> impl Iterator<Item = u32> {
    std::iter::once(compared_bits).chain(NARROW_BITS.into_iter().filter(move |&bits| bits < compared_bits))
}

/// Counts the collisions of one function on one dataset.
///
/// # Panics
///
/// Panics if `hashed` is not of the keys of `dataset`.
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

/// Returns [`RawCollisions::example`]; `repeated` holds the values that occur more than once, in order.
fn first_pair(values: impl Iterator<Item = u32>, repeated: &[u32]) -> Option<(usize, usize)> {
    let mut values = values.enumerate();
    let (first, shared) = values.find(|(_, value)| repeated.binary_search(value).is_ok())?;
    let (second, _) = values.find(|&(_, value)| value == shared)?;
    Some((first, second))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::functions::Function;
    use crate::keys::Recipe;

    #[test]
    fn no_width_is_there_twice_or_wider_than_the_function() {
        let cases: [(u32, &[u32]); 4] = [
            (32, &[32, 24, 20]),
            (28, &[28, 24, 20]),
            (24, &[24, 20]),
            (1, &[1]),
        ];
        for (bits, expected) in cases {
            assert!(widths(bits).eq(expected.iter().copied()), "{bits}");
        }
    }

    proptest! {
        #![proptest_config(crate::property::config())]

        #[test]
        fn counts_and_example_are_those_of_the_definition(
            values in prop::collection::vec(prop_oneof![0_u64..40, 0..u64::from(u32::MAX)], 0..60),
        ) {
            let dataset = Dataset::of("ids", Recipe::DistinctBelow1e9.keys(1, values.len()));
            let function = Function::custom("f", 32, |_| 0, &[]);
            let raw = measure(&dataset, &Hashed::of_values(&function, values.clone()));
            for &(bits, collisions) in &raw.counts {
                let distinct: HashSet<u64> = values.iter().map(|value| value % (1 << bits)).collect();
                prop_assert_eq!(collisions, (values.len() - distinct.len()) as u64);
            }
            let first_pair = (0..values.len())
                .flat_map(|first| (first + 1..values.len()).map(move |second| (first, second)))
                .find(|&(first, second)| values[first] == values[second]);
            prop_assert_eq!(raw.example, first_pair);
        }
    }
}
