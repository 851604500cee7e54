//! Time against the length of a key.

mod chart;
mod measure;

use super::{Draw, Kind, Measure, Question, Recorded};
use crate::record::{CallForm, stored};

stored! {
    /// A row of `curves.csv`: the time of keys of one length.
    pub struct CurveRow {
        /// Name of the function; `empty` is the cost of the loop.
        pub function: String,
        /// Length of all keys, bytes.
        pub length: u64,
        /// The form of the calls.
        pub form: CallForm,
        /// Median over the rounds, the cost of the loop included.
        pub median_ns_per_key: f64,
        /// Median absolute deviation from that median.
        pub mad_ns_per_key: f64,
        /// Number of rounds.
        pub samples: u64,
    }
}

impl Recorded for CurveRow {
    const TIMED: bool = true;
    const SEEDED: bool = true;
    const KEY: &[&str] = &["function", "length", "form"];
}

/// The question.
pub(super) const QUESTION: Question = Question {
    measure: Measure::Times(|_, functions, progress, records| {
        records.curves = measure::measure(functions, records.run.seed, records.run.quick, progress)?;
        Ok(())
    }),
    charts: &[Kind {
        stem: "curves",
        timed: true,
        draw: Draw::Dataset(chart::scene),
    }],
    ..Question::NONE
};
