//! Collisions: distinct keys minus distinct values, at three widths.

use std::collections::HashMap;

use super::{Example, Failure, Measure, Question, rows};
use crate::chance::{INTERVAL_LEVEL, verdict};
use crate::keys::{Dataset, printed};
use crate::record::{FailedTest, Verdict, about};
use crate::values::Hashed;
use crate::words::{IDEAL_BITS, figure};
use records::number::grouped;
use statistics::collisions::CollisionLaw;
use statistics::correction::bonferroni;

rows! {
    /// A row of `collisions.csv`.
    pub struct CollisionRow: [dataset, function] {
        /// Width that was compared, in low bits of the value.
        pub bits: u32,
        /// Distinct keys.
        pub keys: u64,
        /// Distinct keys minus distinct values.
        pub collisions: u64,
        /// Expected collisions of a random function of this width.
        pub expected: f64,
        /// Two-sided p-value of this test alone.
        pub p_value: f64,
        /// Lower end of the 99 % interval for the mean number of collisions.
        pub ci_low: f64,
        /// Upper end of that interval.
        pub ci_high: f64,
        /// Fewest collisions that a random function would show, at 1 % over all tests of the file.
        pub band_low: f64,
        /// Most collisions that a random function would show, at 1 % over all tests of the file.
        pub band_high: f64,
        /// `p_value` corrected for the number of tests in the file (Bonferroni).
        pub p_adjusted: f64,
        /// The verdict of this row.
        pub verdict: Verdict,
    }
}

pub(super) const QUESTION: Question = Question {
    measure: Measure::Values(|dataset, hashed, records| {
        let (rows, example) = measure(dataset, hashed);
        records.collisions.extend(rows);
        records.examples.extend(example);
    }),
    judge: |records| judge(&mut records.collisions),
    failures: |records, dataset, function| failures(&records.collisions, &dataset.name, &function.name),
    ..Question::NONE
};

/// Widths compared in addition to a function's own: at fewer bits, small sets can tell functions apart.
pub const NARROW_BITS: [u32; 2] = [24, 20];

/// Returns the row of a count, that of a single test until all are judged.
fn row(dataset: &str, function: &str, bits: u32, keys: u64, collisions: u64) -> CollisionRow {
    let law = CollisionLaw::new(keys, bits);
    let (ci_low, ci_high) = law.mean_interval(collisions, INTERVAL_LEVEL);
    let p_value = law.two_sided_p(collisions);
    CollisionRow {
        dataset: dataset.to_owned(),
        function: function.to_owned(),
        bits,
        keys,
        collisions,
        expected: law.expected(),
        p_value,
        ci_low,
        ci_high,
        band_low: 0.0,
        band_high: keys as f64,
        p_adjusted: p_value,
        verdict: Verdict::WithinChance,
    }
}

/// Returns the widths at which a function of `compared_bits` bits is compared, widest first.
pub fn widths(compared_bits: u32) -> impl Iterator<Item = u32> {
    std::iter::once(compared_bits).chain(NARROW_BITS.into_iter().filter(move |&bits| bits < compared_bits))
}

/// Counts the collisions of one function on one dataset at each width, the widest first. The example is of the widest:
/// the first key, in the order of the dataset, that shares its value with another, and the next key with this value.
///
/// # Panics
///
/// Panics if `hashed` is not of the keys of `dataset`.
pub fn measure(dataset: &Dataset, hashed: &Hashed<'_>) -> (Vec<CollisionRow>, Option<Example>) {
    let mut values = hashed.values();
    assert_eq!(values.len(), dataset.keys.len(), "values of other keys");
    let function = hashed.function;
    let keys = values.len() as u64;
    let low = hashed.low();
    let rows = widths(function.compared_bits())
        .map(|bits| {
            row(
                &dataset.name,
                function.name,
                bits,
                keys,
                keys - low.different(bits),
            )
        })
        .collect();
    let mut repeated = low.repeated().to_vec();
    repeated.sort_unstable();
    let shared = values.clone().find(|value| repeated.binary_search(value).is_ok());
    let example = shared.and_then(|shared| {
        let mut of_shared = || values.position(|value| value == shared);
        let first = of_shared()?;
        Some([first, first + 1 + of_shared()?])
    });
    let example = example.map(|pair| Example {
        dataset: dataset.name.clone(),
        function: function.name.to_owned(),
        keys: pair.map(|index| printed(dataset.keys.get(index))),
    });
    (rows, example)
}

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
fn failures(rows: &[CollisionRow], dataset: &str, function: &str) -> Vec<Failure> {
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
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::functions::Function;
    use crate::keys::Recipe;

    proptest! {
        #![proptest_config(crate::property::config())]

        #[test]
        fn counts_and_example_are_those_of_the_definition(
            values in prop::collection::vec(prop_oneof![0_u64..40, 0..u64::from(u32::MAX)], 0..60),
        ) {
            let dataset = Dataset::of("ids", Recipe::DistinctBelow1e9.keys(1, values.len()));
            let function = Function::custom("f", 32, |_| 0, &[]);
            let (rows, example) = measure(&dataset, &Hashed::of_values(&function, values.clone()));
            for row in &rows {
                let distinct: HashSet<u64> = values.iter().map(|value| value % (1 << row.bits)).collect();
                prop_assert_eq!(row.collisions, (values.len() - distinct.len()) as u64);
            }
            let first_pair = (0..values.len())
                .flat_map(|first| (first + 1..values.len()).map(move |second| (first, second)))
                .find(|&(first, second)| values[first] == values[second]);
            let printed = |(first, second)| [first, second].map(|index| printed(dataset.keys.get(index)));
            prop_assert_eq!(example.map(|one| one.keys), first_pair.map(printed));
        }
    }
}
