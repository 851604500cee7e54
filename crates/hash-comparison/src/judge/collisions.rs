//! Verdicts on collisions.

use std::collections::HashMap;

use crate::measure::collisions::{INTERVAL_LEVEL, RawCollisions};
use crate::record::{CollisionRow, Verdict};
use statistics::collisions::CollisionLaw;
use statistics::correction::{FAMILY_LEVEL, bonferroni};

/// Collisions are far worse than chance if they certainly exceed it by this ratio. Collisions double with each lost
/// bit, so four bits are lost.
pub const FAR_WORSE_RATIO: f64 = 16.0;

/// Judges everything that was measured: one row for each width of each function on each dataset, in the given order.
pub fn judge(raw: &[RawCollisions]) -> Vec<CollisionRow> {
    let tests = raw.iter().map(|one| one.counts.len()).sum();
    // The ends of a band take many p-values and depend on keys and width, so all functions of a dataset share them.
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

/// Returns the ratio of collisions to chance, or `None` if chance gives none.
pub(crate) fn ratio(row: &CollisionRow) -> Option<f64> {
    over_expected(row, row.collisions as f64)
}

/// Returns the ratio of `count` to the collisions by chance, or `None` if chance gives none.
pub(crate) fn over_expected(row: &CollisionRow, count: f64) -> Option<f64> {
    let ratio = count / row.expected;
    (row.expected > 0.0 && ratio.is_finite()).then_some(ratio)
}

/// Returns the verdict of one row. Verdicts depend on the number of all tests, so judging is a step after measuring.
pub(super) fn verdict(collisions: f64, expected: f64, ci_low: f64, p_adjusted: f64) -> Verdict {
    if p_adjusted >= FAMILY_LEVEL {
        Verdict::WithinChance
    } else if collisions < expected {
        Verdict::FewerThanChance
    } else if ci_low >= FAR_WORSE_RATIO * expected {
        Verdict::FarWorseThanChance
    } else {
        Verdict::WorseThanChance
    }
}

/// Returns the number of keys among which a random function of `bits` bits has a collision with a probability of one
/// half, by the birthday bound n (n - 1) = 2^(bits + 1) ln 2.
pub(crate) fn even_chance(bits: u32) -> u64 {
    libm::ceil(0.5 + libm::sqrt(0.25 + libm::ldexp(core::f64::consts::LN_2, bits as i32 + 1))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(bits: u32, keys: u64, collisions: u64) -> RawCollisions {
        RawCollisions {
            dataset: "ids".to_owned(),
            function: "f".to_owned(),
            keys,
            counts: vec![(bits, collisions)],
            example: None,
        }
    }

    #[test]
    fn the_birthday_bound_is_that_of_days_and_of_32_bits() {
        // With 256 values, 20 people rarely suffice; the known figure for 32 bits is 77,163.
        assert_eq!([8, 32].map(even_chance), [20, 77_164]);
        for bits in [8, 16] {
            let none = |keys: u64| {
                (0..keys)
                    .map(|taken| 1.0 - taken as f64 / libm::ldexp(1.0, bits))
                    .product::<f64>()
            };
            let keys = even_chance(bits as u32);
            assert!(none(keys) < 0.5 && none(keys - 2) > 0.5, "{bits}");
        }
    }

    #[test]
    fn the_four_verdicts() {
        // 40,000 keys at 20 bits: 753 collisions expected, 645 to 862 in the band of 207 tests.
        let verdict_of = |collisions: u64| {
            let mut raw = vec![one(20, 40_000, 753); 206];
            raw.insert(0, one(20, 40_000, collisions));
            let rows = judge(&raw);
            assert_eq!(rows.len(), 207);
            assert_eq!((rows[0].band_low, rows[0].band_high), (645.0, 862.0));
            rows[0].verdict
        };
        let verdicts = [0, 644, 645, 753, 862, 863, 12_000, 13_000, 39_999].map(verdict_of);
        use Verdict::{FarWorseThanChance, FewerThanChance, WithinChance, WorseThanChance};
        assert_eq!(
            verdicts,
            [
                FewerThanChance,
                FewerThanChance,
                WithinChance,
                WithinChance,
                WithinChance,
                WorseThanChance,
                WorseThanChance,
                FarWorseThanChance,
                FarWorseThanChance
            ]
        );
    }

    #[test]
    fn a_function_that_maps_one_to_one_has_fewer_than_chance() {
        let rows = judge(&[one(20, 40_000, 0)]);
        assert_eq!(
            (rows[0].collisions, rows[0].verdict),
            (0, Verdict::FewerThanChance)
        );
    }
}
