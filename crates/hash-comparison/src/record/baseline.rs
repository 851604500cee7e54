//! The part of `run.json` about an earlier run that this run is compared with.

use super::{CallForm, stored};

stored! {
    /// The changes since an earlier run.
    pub struct Baseline {
        /// Folder of the earlier run, as given.
        pub folder: String,
        /// Start of the earlier run, UTC, RFC 3339.
        pub date: String,
        /// Program and version that made the earlier run.
        pub generator: String,
        /// The command line that repeats the earlier run.
        pub command: String,
        /// Other differences, one sentence each: machine, compiler, key sets, functions that only one run has.
        pub notes: Vec<String>,
        /// Number of rows without times that both runs have.
        pub compared_rows: u64,
        /// A sentence on each file with rows that must be the same on every machine, but differ.
        pub differences: Vec<String>,
        /// The comparison of times, unless the runs are of two machines.
        pub times: Option<TimesAgainst>,
    }

    /// Times compared with those of an earlier run.
    pub struct TimesAgainst {
        /// The changes of the machine as a whole, which are removed from `rows`.
        pub drifts: Vec<Drift>,
        /// One row for each dataset, function and form that both runs have.
        pub rows: Vec<TimeChange>,
    }

    /// The change of time that all functions share on one dataset in one form.
    pub struct Drift {
        /// Name of the dataset.
        pub dataset: String,
        /// The form of the calls.
        pub form: CallForm,
        /// Median over the functions of time now over time before; 1 if there are too few functions to tell.
        pub ratio: f64,
        /// Number of functions behind the ratio, the empty function included.
        pub functions: u64,
    }

    /// The time of one function now and before.
    pub struct TimeChange {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// The form of the calls.
        pub form: CallForm,
        /// Median before, nanoseconds per key.
        pub before_ns: f64,
        /// Median now.
        pub now_ns: f64,
        /// Time now over time before without the drift, of the statistic that changed least.
        pub ratio: f64,
        /// The least ratio of a slowdown beyond noise; its inverse is the limit for a speedup.
        pub threshold: f64,
        /// Set if the time changed beyond noise.
        pub changed: bool,
    }
}
