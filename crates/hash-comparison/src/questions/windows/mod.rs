//! Collisions in the low and the high bits of the values, and in all of them.

mod measure;
mod verdict;

use super::{Cost, Measure, Question, Recorded, of_function};
use crate::record::{Purpose, about, rows_about, stored};

pub use self::measure::{WIDTHS, asked, measure};
pub(crate) use self::verdict::place;
pub use self::verdict::{failed, judge};

stored! {
    /// The bits of a value that a window takes.
    pub enum WindowEnd {
        /// The lowest bits.
        Low,
        /// The highest bits of the function's own output.
        High,
        /// All bits of the function.
        Full,
    }

    /// A row of `windows.csv`: collisions of a key set in some bits of the values.
    pub struct WindowRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// The position of the window.
        pub end: WindowEnd,
        /// Number of bits in the window.
        pub bits: u32,
        /// Distinct keys.
        pub keys: u64,
        /// Distinct keys minus distinct values of the window.
        pub collisions: u64,
        /// Expected collisions of a random function.
        pub expected: f64,
        /// Two-sided p-value of this window alone.
        pub p_value: f64,
        /// Lower end of the 99 % interval for the mean number of collisions.
        pub ci_low: f64,
        /// Upper end of that interval.
        pub ci_high: f64,
        /// `p_value` corrected for the number of rows in the file (Bonferroni).
        pub p_adjusted: f64,
    }
}

impl Recorded for WindowRow {
    const TIMED: bool = false;
    const SEEDED: bool = false;
    const KEY: &[&str] = &["dataset", "function", "end", "bits"];
    const SHARED: &[&str] = &["p_adjusted"];
}

rows_about! {
    WindowRow: |row| Some(&row.dataset);
}

/// The question.
pub(super) const QUESTION: Question = Question {
    measure: Measure::Values(|dataset| {
        of_function(dataset, |dataset, hashed, records| {
            records.windows.extend(measure(&dataset.name, hashed));
        })
    }),
    judge: |records| judge(&mut records.windows),
    facts: |records| verdict::facts(&records.windows).collect(),
    costs: |records, dataset, function| {
        let rows = about(&records.windows, &dataset.name, &function.name);
        let full = rows.filter(|row| row.end == WindowEnd::Full);
        let cost = |row: &WindowRow| Cost {
            purpose: Purpose::Checksum,
            place: place(row),
            measured: row.collisions as f64,
            chance: row.expected,
            p_adjusted: row.p_adjusted,
        };
        full.map(cost).collect()
    },
    ..Question::NONE
};
