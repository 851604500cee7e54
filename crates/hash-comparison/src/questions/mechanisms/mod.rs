//! Mechanisms: the measured reasons why a function fails.

mod measure;
mod verdict;

use super::{Measure, Question, Recorded};
use crate::record::stored;

pub use self::measure::{RawMechanisms, TRIALS, Tried, measure};
pub(crate) use self::verdict::sentences_on;
pub use self::verdict::{explain, judge, sentences};

stored! {
    /// A dependence of values on keys that a random function does not have.
    pub enum Mechanism {
        /// The value follows from the last `parameter` bytes and the length.
        LastBytes,
        /// The value follows from the first `parameter` bytes and the length.
        FirstBytes,
        /// The difference (exclusive or) of two values follows from the difference of the keys: the values of three
        /// keys a, b, c and of their sum cancel.
        XorLinear,
        /// The low `parameter` bits of the value follow from the low `parameter` bits of each byte.
        LowBits,
        /// Raising the last byte but one by 1 and lowering the last by `parameter` leaves the value unchanged.
        ByteSum,
        /// Flipping the lowest bit of the last byte but one and bit `parameter` of the last leaves the value unchanged.
        ByteFlip,
        /// Exchanging the last two bytes leaves the value unchanged.
        ByteOrder,
        /// Upper-case and lower-case letters give the same value.
        LetterCase,
        /// Zero bytes before the key leave the value unchanged.
        LeadingZeroes,
        /// Only `parameter` bits of the value ever change from key to key.
        FixedBits,
    }

    /// A row of `mechanisms.csv`.
    pub struct MechanismRow {
        /// Name of the function.
        pub function: String,
        /// The mechanism that was tried.
        pub mechanism: Mechanism,
        /// The parameter of the mechanism, the most informative if several were tried; 0 for a mechanism without one.
        pub parameter: u32,
        /// Number of trials.
        pub trials: u64,
        /// Number of trials in which the mechanism occurred.
        pub hits: u64,
        /// Share of trials in which the mechanism occurs with a random function.
        pub chance: f64,
        /// Upper-tail p-value, corrected for the number of tests behind the file (Bonferroni).
        pub p_adjusted: f64,
        /// Set if the mechanism holds: more often than chance, and in at least three of four trials.
        pub holds: bool,
        /// A key of a pair that shows the mechanism, escaped for print; empty if the mechanism does not hold.
        pub first: String,
        /// The other key, with the same value or part of the value. Both are empty for a mechanism that is not about
        /// pairs.
        pub second: String,
    }
}

impl Recorded for MechanismRow {
    const TIMED: bool = false;
    const SEEDED: bool = false;
    const KEY: &[&str] = &["function", "mechanism"];
    const SHARED: &[&str] = &[
        "parameter",
        "hits",
        "chance",
        "p_adjusted",
        "holds",
        "first",
        "second",
    ];
}

/// The question.
pub(super) const QUESTION: Question = Question {
    measure: Measure::Functions(|functions, _, records| {
        records.mechanisms = judge(&measure(functions));
        Ok(())
    }),
    ..Question::NONE
};
