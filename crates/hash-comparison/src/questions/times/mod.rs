//! Time per key on whole key sets, in calls that overlap and in calls that wait for each other.

mod measure;

use super::{Measure, Question, Recorded};
use crate::record::{CallForm, rows_about, stored};

stored! {
    /// A row of `timing.csv` (independent calls) and of `latency.csv` (each call waits for the previous one).
    pub struct TimingRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function; `empty` is the cost of the loop.
        pub function: String,
        /// Keys in one batch.
        pub keys: u64,
        /// Bytes in one batch.
        pub bytes: u64,
        /// Median over the rounds, the cost of the loop included.
        pub median_ns_per_key: f64,
        /// Median absolute deviation from that median.
        pub mad_ns_per_key: f64,
        /// Number of rounds.
        pub samples: u64,
    }

    /// A row of `spread.csv`: quartiles of the readings behind a row of `timing.csv` or `latency.csv`, nanoseconds per
    /// key.
    pub struct SpreadRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function; `empty` is the cost of the loop.
        pub function: String,
        /// The form of the calls.
        pub form: CallForm,
        /// Number of rounds.
        pub samples: u64,
        /// The fastest reading.
        pub min_ns: f64,
        /// The lower quartile.
        pub q1_ns: f64,
        /// The median.
        pub median_ns: f64,
        /// The upper quartile.
        pub q3_ns: f64,
        /// The slowest reading.
        pub max_ns: f64,
    }
}

impl Recorded for TimingRow {
    const TIMED: bool = true;
    const SEEDED: bool = true;
    const KEY: &[&str] = &["dataset", "function"];
}

impl Recorded for SpreadRow {
    const TIMED: bool = true;
    const SEEDED: bool = true;
    const KEY: &[&str] = &["dataset", "function", "form"];
}

rows_about! {
    TimingRow: |row| Some(&row.dataset);
    SpreadRow: |row| Some(&row.dataset);
}

/// The question.
pub(super) const QUESTION: Question = Question {
    measure: Measure::Times(|datasets, functions, progress, records| {
        let (seed, quick) = (records.run.seed, records.run.quick);
        ([records.timing, records.latency], records.spread) =
            measure::measure(datasets, functions, seed, quick, progress)?;
        Ok(())
    }),
    ..Question::NONE
};
