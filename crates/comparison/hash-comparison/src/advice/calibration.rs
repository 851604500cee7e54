//! Calibration: how often the tests accuse a function that has no defect.
//!
//! A test of this package counts the alarms and writes the committed file, which every page shows.

use crate::record::stored;

/// The committed calibration.
pub const COMMITTED: &str = include_str!("../../embedded/calibration.csv");

stored! {
    /// The alarms of one question.
    pub struct CalibrationRow {
        /// The test, named after its file of records, or `run` for all rows of a file together, as a verdict takes
        /// them.
        pub test: String,
        /// The question within it.
        pub question: String,
        /// The claimed maximum share of alarms.
        pub level: f64,
        /// The share that the law of the counts allows: whole numbers rarely have a tail of exactly the level.
        pub attainable: f64,
        /// Number of trials: seeds times the key sets of the question, and twice that for windows at either end of the
        /// values.
        pub trials: u64,
        /// Number of trials in which the keyed hash was called different from a random function.
        pub alarms: u64,
        /// `alarms / trials`.
        pub share: f64,
        /// Lower end of the interval for that share, of 99 % over all rows of the file together.
        pub ci_low: f64,
        /// Upper end of that interval.
        pub ci_high: f64,
        /// Set if the interval begins at or below the level: no more false alarms than claimed were seen.
        pub holds: bool,
    }
}
