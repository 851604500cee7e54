//! `run.json`: the run, its machine, its datasets, and what was found.

use std::collections::BTreeMap;

use super::{Baseline, BitFact, FunctionSummary, Recommendation, Verdict, stored};

stored! {
    /// `run.json`: what the CSV files do not say.
    #[derive(Default)]
    pub struct Run {
        /// What the file is.
        #[cfg_attr(test, schemars(extend("const" = super::FORMAT)))]
        pub format: String,
        /// Version of this form.
        #[cfg_attr(test, schemars(extend("const" = super::SCHEMA)))]
        pub schema: u32,
        /// Name and version of the program.
        pub generator: String,
        /// The command line that repeats this run.
        pub command: String,
        /// Start of the run, UTC, RFC 3339.
        pub date: String,
        /// Seed of every random choice.
        pub seed: u64,
        /// Whether fewer timing samples were taken.
        pub quick: bool,
        /// Every file of the run, relative to its folder, sorted, `run.json` itself included.
        pub files: Vec<String>,
        /// SHA-256 of the files that hold records, by name, lower-case hex. That of `run.json` is of the file with 64
        /// zeros in its place.
        pub checksums: BTreeMap<String, String>,
        /// The machine and the build.
        pub environment: Environment,
        /// The datasets, in the order measured.
        pub datasets: Vec<DatasetSummary>,
        /// The functions, in the order measured.
        pub functions: Vec<FunctionSummary>,
        /// One for each dataset and function.
        pub findings: Vec<Finding>,
        /// Failed tests of single bits, which are no part of the verdicts.
        pub bit_facts: Vec<BitFact>,
        /// What to take, one for each dataset.
        pub recommendations: Vec<Recommendation>,
        /// What changed since an earlier run, where one was named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub baseline: Option<Baseline>,
    }

    /// The machine and the build behind the times.
    #[derive(Default)]
    pub struct Environment {
        /// CPU model as it names itself.
        pub cpu: String,
        /// Logical processors.
        pub logical_cpus: u64,
        /// Memory, bytes.
        pub memory_bytes: u64,
        /// Commit of the workspace that measured, where one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub commit: Option<String>,
        /// Operating system and version.
        pub os: String,
        /// Target triple of the build.
        pub target: String,
        /// Compiler version.
        pub rustc: String,
        /// Flags beyond the defaults (`RUSTFLAGS`), empty when none.
        pub rustflags: String,
        /// Optimisation level and whether debug assertions were on.
        pub profile: String,
        /// CPU features that the build or the measured crates may use, as detected.
        pub cpu_features: Vec<String>,
        /// Frequency governor of the first CPU, where the system tells.
        pub governor: Option<String>,
        /// Most threads of this process that were seen while it measured times.
        pub threads_while_timing: Option<u64>,
        /// The logical processor that the timing was kept on, where the system allows that.
        pub pinned_cpu: Option<u64>,
        /// How long it measured times, those of lengths and places included, with warm-up and preparations, seconds.
        pub timing_seconds: Option<f64>,
        /// How often the system took the processor from the timing thread in these seconds (involuntary context
        /// switches).
        pub involuntary_switches_while_timing: Option<u64>,
        /// How long the timing thread was ready in these seconds and had no processor, seconds.
        pub seconds_waited_while_timing: Option<f64>,
    }
}

impl Environment {
    /// More involuntary context switches than this in a second of timing, and the times are probably too high.
    ///
    /// A quiet machine takes the processor away a few times a second, for its own work. One that shares it among
    /// programs does so at the end of every time slice, a few milliseconds: a hundred times a second.
    pub const DISTURBED_SWITCHES_PER_SECOND: f64 = 20.0;

    /// A larger share of the timing than this without a processor, and the times are probably too high.
    ///
    /// Where many programs compete, each waits long and is seldom interrupted: then switches alone tell nothing.
    pub const DISTURBED_WAITING_SHARE: f64 = 0.05;

    /// Whether other programs probably disturbed the timing; `None` where the system does not tell.
    pub fn timing_disturbed(&self) -> Option<bool> {
        let seconds = self.timing_seconds?.max(1.0);
        let switches = self
            .involuntary_switches_while_timing
            .map(|switches| switches as f64 > Self::DISTURBED_SWITCHES_PER_SECOND * seconds);
        let waiting = self
            .seconds_waited_while_timing
            .map(|waited| waited > Self::DISTURBED_WAITING_SHARE * seconds);
        match (switches, waiting) {
            (None, None) => None,
            (one, other) => Some(one == Some(true) || other == Some(true)),
        }
    }
}

stored! {
    /// What a dataset is.
    pub struct DatasetSummary {
        /// Name in the rows.
        pub name: String,
        /// `embedded`, `generated` or `file`.
        pub kind: DatasetKind,
        /// Recipe, package or path.
        pub source: String,
        /// Distinct keys.
        pub keys: u64,
        /// Bytes of all distinct keys.
        pub bytes: u64,
        /// Length of the shortest key, bytes.
        pub min_len: u64,
        /// Length of the longest key, bytes.
        pub max_len: u64,
        /// Mean length, bytes.
        pub mean_len: f64,
        /// SHA-256 of the distinct keys in order, each followed by a line feed.
        pub sha256: String,
        /// Lines dropped because an equal one came before.
        pub duplicates_dropped: u64,
        /// Number of collisions at full width that this test could have told from chance, over the expected.
        pub detectable_ratio: f64,
        /// What most keys look like, where that is something that strangers make up.
        pub looks_like: Option<KeyShape>,
    }

    /// Keys that strangers mostly make up.
    pub enum KeyShape {
        /// Addresses of web pages.
        Urls,
        /// E-mail addresses.
        EmailAddresses,
        /// Names or words.
        Names,
    }

    /// Where the keys of a dataset come from.
    pub enum DatasetKind {
        /// A file inside the program.
        Embedded,
        /// Drawn by a recipe from the seed.
        Generated,
        /// The user's own file.
        File,
    }

    /// A kind of test that a function can fail, most telling first.
    pub enum FailedTest {
        /// More collisions than chance gives.
        Collisions,
        /// More false positives than an ideal hash has in the same filter.
        FalsePositives,
        /// Buckets or output bits are filled unevenly.
        Distribution,
    }

    /// What all measurements together say of one function on one dataset.
    pub struct Finding {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// The worst verdict of collisions, distribution and false positives.
        pub verdict: Verdict,
        /// Which kinds of test failed, most telling first.
        pub failed: Vec<FailedTest>,
        /// Each failed test in words, most telling first, then the mechanisms that were measured of a failed function;
        /// empty when none failed.
        pub reasons: Vec<String>,
        /// The width at which collisions were furthest above chance.
        pub worst_bits: u32,
        /// Its place in the advice on this dataset, best first. No two share one: this is an order to show.
        pub rank: u64,
        /// Two distinct keys with one value at the compared width, escaped for print, where there are any. Only of keys
        /// longer than a thousand characters the middle is left out.
        pub example: Option<[String; 2]>,
    }
}
