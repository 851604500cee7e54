//! Time of the same keys in the cache and out of it.

mod chart;
mod measure;

use super::{Draw, Kind, Measure, Question, Recorded};
use crate::record::{CallForm, rows_about, stored};

stored! {
    /// The place of keys in memory while they are timed.
    pub enum Place {
        /// Back to back in a buffer that the caches hold.
        Cache,
        /// Far apart in a buffer larger than the caches, visited in shuffled order: usually read from main memory.
        Memory,
    }

    /// A row of `places.csv`: the time of the same keys in two places.
    pub struct PlaceRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function; `empty` is the cost of the loop.
        pub function: String,
        /// The place of the keys.
        pub place: Place,
        /// The form of the calls.
        pub form: CallForm,
        /// Keys in one batch, a sample of the dataset.
        pub keys: u64,
        /// Size of the buffer that holds the keys, bytes.
        pub footprint_bytes: u64,
        /// Median over the rounds, the cost of the loop included.
        pub median_ns_per_key: f64,
        /// Median absolute deviation from that median.
        pub mad_ns_per_key: f64,
        /// Number of rounds.
        pub samples: u64,
    }
}

impl Recorded for PlaceRow {
    const TIMED: bool = true;
    const SEEDED: bool = true;
    const KEY: &[&str] = &["dataset", "function", "place", "form"];
}

rows_about! {
    PlaceRow: |row| Some(&row.dataset);
}

/// The question.
pub(super) const QUESTION: Question = Question {
    measure: Measure::Times(|datasets, functions, progress, records| {
        let (seed, quick) = (records.run.seed, records.run.quick);
        records.places = measure::measure(datasets, functions, seed, quick, progress)?;
        Ok(())
    }),
    charts: &[Kind {
        stem: "places",
        timed: true,
        draw: Draw::Dataset(chart::scene),
    }],
    ..Question::NONE
};
