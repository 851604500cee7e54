//! Verdicts on collisions.

use std::collections::HashMap;

use super::CollisionRow;
use crate::chance::verdict;
use crate::questions::Failure;
use crate::record::{FailedTest, Verdict, about};
use crate::words::{IDEAL_BITS, figure};
use records::number::grouped;
use statistics::collisions::CollisionLaw;
use statistics::correction::bonferroni;

/// Judges the rows of a run.
pub fn judge(rows: &mut [CollisionRow]) {
    let tests = rows.len();
    // The ends of a band take many p-values and depend on keys and width, so all functions of a dataset share them.
    let mut bands: HashMap<(u64, u32), (u64, u64)> = HashMap::new();
    for row in rows {
        let band = bands
            .entry((row.keys, row.bits))
            .or_insert_with(|| CollisionLaw::new(row.keys, row.bits).band(tests));
        (row.band_low, row.band_high) = (band.0 as f64, band.1 as f64);
        row.p_adjusted = bonferroni(row.p_value, tests);
        row.verdict = verdict(row.collisions as f64, row.expected, row.ci_low, row.p_adjusted);
    }
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

/// Returns the number of keys among which a random function of `bits` bits has a collision with a probability of one
/// half, by the birthday bound n (n - 1) = 2^(bits + 1) ln 2.
pub(crate) fn even_chance(bits: u32) -> u64 {
    libm::ceil(0.5 + libm::sqrt(0.25 + libm::ldexp(core::f64::consts::LN_2, bits as i32 + 1))) as u64
}

/// Returns the row furthest above chance: among failed rows, the one with the largest ratio. If no row failed, ratios
/// are noise at widths with hardly any expected collisions, so the row with the least p-value above the expectation
/// counts, or else the row least certain to be below. Among equal rows the widest counts.
pub(crate) fn worst<'a>(rows: &[&'a CollisionRow]) -> Option<&'a CollisionRow> {
    let failed = rows
        .iter()
        .copied()
        .filter(|row| row.verdict > Verdict::WithinChance);
    // `max_by` takes the last of equal rows.
    if let Some(row) = failed
        .rev()
        .max_by(|a, b| ratio_or_one(a).total_cmp(&ratio_or_one(b)))
    {
        return Some(row);
    }
    let surprise = |row: &CollisionRow| {
        let above = row.collisions as f64 >= row.expected;
        if above { row.p_value } else { 2.0 - row.p_value }
    };
    rows.iter()
        .copied()
        .min_by(|a, b| surprise(a).total_cmp(&surprise(b)))
}

/// Returns the ratio to chance, or 1 if chance gives no collisions.
fn ratio_or_one(row: &CollisionRow) -> f64 {
    ratio(row).unwrap_or(1.0)
}

/// Returns the widths that failed, largest ratio first.
pub(super) fn failures(rows: &[CollisionRow], dataset: &str, function: &str) -> Vec<Failure> {
    let rows: Vec<&CollisionRow> = about(rows, dataset, function).collect();
    let mut failed: Vec<&CollisionRow> = rows
        .iter()
        .copied()
        .filter(|row| row.verdict > Verdict::WithinChance)
        .collect();
    failed.sort_by(|a, b| ratio_or_one(b).total_cmp(&ratio_or_one(a)));
    let own_bits = rows.iter().map(|row| row.bits).max();
    failed
        .into_iter()
        .map(|row| Failure {
            test: FailedTest::Collisions,
            verdict: row.verdict,
            buckets: None,
            reason: format!(
                "{} of {} keys collide at {} bits; chance: {}{}",
                grouped(row.collisions),
                grouped(row.keys),
                row.bits,
                figure(row.expected),
                if own_bits == Some(row.bits) {
                    beside_all_bits(row)
                } else {
                    String::new()
                },
            ),
        })
        .collect()
}

/// Returns the chance of all compared bits for a narrower function: chance at its own width hides the missing bits.
fn beside_all_bits(row: &CollisionRow) -> String {
    let expected = CollisionLaw::new(row.keys, IDEAL_BITS).expected();
    if row.bits >= IDEAL_BITS || expected <= 0.0 {
        return String::new();
    }
    format!(", of all {IDEAL_BITS} bits {}", figure(expected))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::collisions::RawCollisions;

    /// Returns the judged rows of these widths and counts.
    fn judged(keys: u64, counts: &[(u32, u64)]) -> Vec<CollisionRow> {
        let raw = RawCollisions {
            dataset: "ids".to_owned(),
            function: "f".to_owned(),
            keys,
            counts: counts.to_vec(),
            example: None,
        };
        let mut rows: Vec<CollisionRow> = raw.rows().collect();
        judge(&mut rows);
        rows
    }

    #[test]
    fn the_birthday_bound_is_that_of_days_and_of_32_bits() {
        // With 256 values, 20 people rarely suffice; the known figure for 32 bits is 77,163.
        assert_eq!([8, 32].map(even_chance), [20, 77_164]);
        for bits in [8, 16] {
            let free = |taken: u64| 1.0 - taken as f64 / libm::ldexp(1.0, bits);
            let none = |keys: u64| (0..keys).map(free).product::<f64>();
            let keys = even_chance(bits as u32);
            assert!(none(keys) < 0.5 && none(keys - 2) > 0.5, "{bits}");
        }
    }

    #[test]
    fn the_four_verdicts() {
        use Verdict::{FarWorseThanChance, FewerThanChance, WithinChance, WorseThanChance};
        // 40,000 keys at 20 bits: 753 collisions expected, 645 to 862 in the band of 207 tests.
        for (verdict, counts) in [
            (FewerThanChance, [0, 300, 644]),
            (WithinChance, [645, 753, 862]),
            (WorseThanChance, [863, 5_000, 12_000]),
            (FarWorseThanChance, [13_000, 20_000, 39_999]),
        ] {
            for count in counts {
                let first = &judged(40_000, &[&[(20, count)][..], &[(20, 753); 206]].concat())[0];
                assert_eq!((first.band_low, first.band_high), (645.0, 862.0));
                assert_eq!((first.collisions, first.verdict), (count, verdict));
            }
        }
    }

    #[test]
    fn missing_bits_are_told() {
        let reason =
            |counts: &[(u32, u64)]| failures(&judged(1_000_000, counts), "ids", "f")[0].reason.clone();
        assert_eq!(
            reason(&[(28, 3_720)]),
            "3,720 of 1,000,000 keys collide at 28 bits; chance: 1,860, of all 32 bits 116"
        );
        // Low bits of a wide function are not missing bits.
        assert_eq!(
            reason(&[(32, 116), (20, 900_000)]),
            "900,000 of 1,000,000 keys collide at 20 bits; chance: 355,464"
        );
    }
}
