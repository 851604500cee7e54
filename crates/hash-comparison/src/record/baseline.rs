//! What `run.json` says of an earlier run that this one was held against.

use super::{CallForm, stored};

stored! {
    /// What changed since an earlier run.
    pub struct Baseline {
        /// Folder of the earlier run, as it was named.
        pub folder: String,
        /// Its start, UTC, RFC 3339.
        pub date: String,
        /// Program and version that made it.
        pub generator: String,
        /// The command line that repeats it.
        pub command: String,
        /// What else was not the same, a sentence each: machine, compiler, key sets, functions that only one run has.
        pub notes: Vec<String>,
        /// Rows without times that both runs have.
        pub compared_rows: u64,
        /// Fields of these rows that differ, in all.
        pub different_fields: u64,
        /// The first of them.
        pub differences: Vec<Difference>,
        /// The times, unless the runs are of two machines.
        pub times: Option<TimesAgainst>,
    }

    /// A field that must be the same on every machine, and is not.
    pub struct Difference {
        /// Name of the file.
        pub file: String,
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// Which of the rows about them, in words.
        pub question: String,
        /// Name of the column.
        pub column: String,
        /// What the earlier run has.
        pub before: String,
        /// What this one has.
        pub now: String,
    }

    /// Times held against those of an earlier run.
    pub struct TimesAgainst {
        /// How much slower the machine was as a whole; taken out of `rows`.
        pub drifts: Vec<Drift>,
        /// One for each dataset, function and form that both runs have.
        pub rows: Vec<TimeChange>,
    }

    /// How much slower than before all functions together were on one dataset in one form.
    pub struct Drift {
        /// Name of the dataset.
        pub dataset: String,
        /// How the calls were made.
        pub form: CallForm,
        /// Median over the functions of time now over time before; 1 where they are too few to tell.
        pub ratio: f64,
        /// How far a function that did not change strays from it, as a standard deviation of the logarithm.
        pub scatter: f64,
        /// How many functions it comes from, the floor included.
        pub functions: u64,
    }

    /// The time of one function now and before.
    pub struct TimeChange {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// How the calls were made.
        pub form: CallForm,
        /// Median before, nanoseconds per key.
        pub before_ns: f64,
        /// Median absolute deviation before.
        pub before_mad_ns: f64,
        /// Median now.
        pub now_ns: f64,
        /// Median absolute deviation now.
        pub now_mad_ns: f64,
        /// Time now over time before, the drift taken out: of the statistic that changed least.
        pub ratio: f64,
        /// From this ratio on, or from one over it down, it is no noise.
        pub threshold: f64,
        /// Whether it changed beyond noise.
        pub changed: bool,
    }
}
