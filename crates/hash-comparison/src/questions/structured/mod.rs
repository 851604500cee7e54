//! Collisions on structured key sets.

mod chart;
mod measure;
mod verdict;

use super::{Draw, Kind, Measure, Question, Recorded};
use crate::record::{Verdict, rows_about, stored};

pub use self::measure::{measure, of, tests, windows};
pub use self::verdict::{is_worse, judge};
pub(crate) use self::verdict::{nearest, ratio, sets_failed, worst};

stored! {
    /// The bits of a value that are compared.
    pub enum Window {
        /// All bits of the function.
        Whole,
        /// The lowest bits.
        Low,
        /// The highest bits.
        High,
    }

    /// A row of `structured.csv`.
    pub struct StructuredRow {
        /// Name of the key set.
        pub set: String,
        /// Name of the function.
        pub function: String,
        /// The bits that are compared.
        pub window: Window,
        /// Number of compared bits.
        pub bits: u32,
        /// Distinct keys.
        pub keys: u64,
        /// Distinct keys minus distinct values.
        pub collisions: u64,
        /// Expected collisions of a random function.
        pub expected: f64,
        /// Lower end of the 99 % interval for the mean number of collisions.
        pub ci_low: f64,
        /// Upper end of that interval.
        pub ci_high: f64,
        /// Two-sided p-value of this test alone.
        pub p_value: f64,
        /// `p_value` corrected for the number of tests in the file (Bonferroni).
        pub p_adjusted: f64,
        /// The verdict of this row.
        pub verdict: Verdict,
        /// In a row worse than chance, a key that shares its compared bits with another key, escaped for print; else
        /// empty.
        pub first: String,
        /// The other key.
        pub second: String,
    }
}

impl Recorded for StructuredRow {
    const TIMED: bool = false;
    const SEEDED: bool = true;
    const KEY: &[&str] = &["set", "function", "window", "bits"];
    const SHARED: &[&str] = &["p_adjusted", "verdict", "first", "second"];
}

rows_about! {
    StructuredRow: |_| None;
}

/// The question.
pub(super) const QUESTION: Question = Question {
    measure: Measure::Functions(|functions, progress, records| {
        let tests = tests(functions.iter().map(|function| function.output_bits));
        let is_worse = |row: &StructuredRow| is_worse(row, tests);
        records.structured = measure(functions, records.run.seed, is_worse, progress)?;
        judge(&mut records.structured, tests);
        Ok(())
    }),
    charts: &[Kind {
        stem: "structured-keys",
        timed: false,
        draw: Draw::Run(chart::scene),
    }],
    ..Question::NONE
};
