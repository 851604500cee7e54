//! Chains of keys in hash tables with about one bucket for each key.

mod measure;
mod verdict;

use super::{Cost, Measure, Question, Recorded, of_function};
use crate::record::{Choice, Purpose, Verdict, about, rows_about, stored};
use crate::words::placed;
use statistics::correction::bonferroni;

pub use self::measure::{LEAST_KEYS, MAX_KEYS, measure};
pub use self::verdict::judge;

/// The bucket choices whose cost counts. The other choices show how to make up for a weak function.
const CHOICES: [Choice; 2] = [Choice::LowBits, Choice::Remainder];

stored! {
    /// A row of `occupancy.csv`: chains of keys in a hash table with about one bucket for each key.
    pub struct OccupancyRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// The way in which the table chooses buckets.
        pub choice: Choice,
        /// Number of buckets.
        pub buckets: u64,
        /// Keys in the table.
        pub keys: u64,
        /// Mean number of keys compared to find a present key: the sum of c (c + 1) / 2 over buckets of c keys, divided
        /// by the number of keys.
        pub hit: f64,
        /// Expected `hit` of a random function.
        pub hit_expected: f64,
        /// Lower end of the range of `hit` in which random functions lie, in every row of 99 of 100 files.
        pub hit_low: f64,
        /// Upper end of that range.
        pub hit_high: f64,
        /// Two-sided p-value of `hit`.
        pub hit_p: f64,
        /// Mean number of keys compared for an absent key with a random bucket: keys per bucket.
        pub miss: f64,
        /// Keys in the fullest bucket.
        pub longest: u64,
        /// Expected `longest` of a random function.
        pub longest_expected: f64,
        /// Upper end of the range of `longest` in which random functions lie, in every row of 99 of 100 files.
        pub longest_high: u64,
        /// Upper-tail p-value of `longest`.
        pub longest_p: f64,
        /// Share of empty buckets.
        pub empty: f64,
        /// Expected `empty` of a random function.
        pub empty_expected: f64,
        /// Lower end of the range of `empty` in which random functions lie, in every row of 99 of 100 files.
        pub empty_low: f64,
        /// Upper end of that range.
        pub empty_high: f64,
        /// Two-sided p-value of `empty`.
        pub empty_p: f64,
        /// The least of the three p-values, corrected for the number of tests in the file, three a row (Bonferroni).
        pub p_adjusted: f64,
        /// The verdict of this row.
        pub verdict: Verdict,
    }
}

impl Recorded for OccupancyRow {
    const TIMED: bool = false;
    const SEEDED: bool = false;
    const KEY: &[&str] = &["dataset", "function", "choice"];
    const SHARED: &[&str] = &[
        "hit_low",
        "hit_high",
        "longest_high",
        "empty_low",
        "empty_high",
        "p_adjusted",
        "verdict",
    ];
}

rows_about! {
    OccupancyRow: |row| Some(&row.dataset);
}

/// The question.
pub(super) const QUESTION: Question = Question {
    measure: Measure::Values(|dataset| {
        of_function(dataset, |dataset, hashed, records| {
            records.occupancy.extend(measure(&dataset.name, hashed));
        })
    }),
    judge: |records| judge(&mut records.occupancy, &records.run.functions),
    costs: |records, dataset, function| {
        let rows = about(&records.occupancy, &dataset.name, &function.name);
        let cost = |row: &OccupancyRow| Cost {
            purpose: Purpose::Table,
            place: placed(row.buckets, "buckets", row.choice),
            measured: row.hit,
            chance: row.hit_expected,
            p_adjusted: bonferroni(row.hit_p, records.occupancy.len() * verdict::TESTS_IN_ROW),
        };
        rows.filter(|row| CHOICES.contains(&row.choice))
            .map(cost)
            .collect()
    },
    ..Question::NONE
};
