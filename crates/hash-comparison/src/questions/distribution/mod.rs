//! Evenness: buckets of a table, and ones in each output bit.

mod measure;
mod verdict;

use super::{Measure, Question, Recorded, of_function};
use crate::record::{rows_about, stored};

pub use self::measure::measure;

stored! {
    /// The question that a row of `distribution.csv` answers.
    pub enum DistributionKind {
        /// Chi-square over `parameter` buckets, a power of two: the low bits choose.
        PowerOfTwoBuckets,
        /// Chi-square over `parameter` buckets, a prime: the remainder chooses.
        PrimeBuckets,
        /// Share of keys whose output bit `parameter` (0 is the lowest) is one; the p-value is that of the
        /// chi-square with one degree of freedom against one half.
        BitShare,
    }

    /// A row of `distribution.csv`.
    pub struct DistributionRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// The question.
        pub kind: DistributionKind,
        /// Number of buckets, or index of the output bit.
        pub parameter: u64,
        /// Chi-square, or the share of ones.
        pub statistic: f64,
        /// Degrees of freedom behind the p-value.
        pub dof: u64,
        /// Upper-tail p-value: the probability that a random function is at least as uneven.
        pub p_value: f64,
    }
}

impl Recorded for DistributionRow {
    const TIMED: bool = false;
    const SEEDED: bool = false;
    const KEY: &[&str] = &["dataset", "function", "kind", "parameter"];
}

rows_about! {
    DistributionRow: |row| Some(&row.dataset);
}

/// The question.
pub(super) const QUESTION: Question = Question {
    measure: Measure::Values(|dataset| {
        of_function(dataset, |dataset, hashed, records| {
            records.distribution.extend(measure(dataset, hashed));
        })
    }),
    failures: |records, dataset, function| {
        verdict::failures(&records.distribution, &dataset.name, &function.name)
    },
    ..Question::NONE
};
