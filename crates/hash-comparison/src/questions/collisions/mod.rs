//! Collisions: distinct keys minus distinct values, at three widths.

mod measure;
mod verdict;

use super::{Measure, Question, Recorded, of_function};
use crate::record::{Verdict, rows_about, stored};

pub use self::measure::{NARROW_BITS, RawCollisions, measure, widths};
pub use self::verdict::judge;
pub(crate) use self::verdict::{even_chance, over_expected, ratio, worst};

stored! {
    /// A row of `collisions.csv`.
    pub struct CollisionRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
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

impl Recorded for CollisionRow {
    const TIMED: bool = false;
    const SEEDED: bool = false;
    const KEY: &[&str] = &["dataset", "function", "bits"];
    const SHARED: &[&str] = &["band_low", "band_high", "p_adjusted", "verdict"];
}

rows_about! {
    CollisionRow: |row| Some(&row.dataset);
}

/// The question.
pub(super) const QUESTION: Question = Question {
    measure: Measure::Values(|dataset| {
        of_function(dataset, |dataset, hashed, records| {
            let raw = measure(dataset, hashed);
            records.collisions.extend(raw.rows());
            records.examples.extend(raw.printed(dataset));
        })
    }),
    judge: |records| judge(&mut records.collisions),
    failures: |records, dataset, function| {
        verdict::failures(&records.collisions, &dataset.name, &function.name)
    },
    ..Question::NONE
};
