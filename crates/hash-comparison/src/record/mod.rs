//! What a run leaves on disk: one CSV file a measurement, and `run.json` for everything else.
//!
//! The records are the only thing that charts and report may read. Nothing here measures or draws.
//! Floating-point fields are written with nine significant digits ([`significant`]), so what is read back
//! is what every reader of the file sees.
// tidy: long file: one list of row types and fields.

mod baseline;
mod bits;
pub mod files;
pub mod folder;
mod function;
mod recommendation;
mod structure;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use statistics::significant;

pub use self::baseline::{Baseline, Difference, Drift, TimeChange, TimesAgainst};
pub use self::bits::{AvalancheRow, BitFact, BitTest, BitTests, MixingRow, MixingTest, WindowEnd, WindowRow};
pub use self::function::{FunctionGroup, FunctionSummary, Resistance};
pub use self::recommendation::{
    Candidate, Excluded, Exclusion, Ground, Incumbent, Interval, Other, Purpose, Recommendation, Request,
    Standing,
};
pub use self::structure::{Choice, Mechanism, MechanismRow, OccupancyRow, Structure, StructuredRow, Window};

/// `format` of every `run.json` that this program writes.
pub const FORMAT: &str = "hash-comparison-run";
/// `schema` of the `run.json` that this version writes.
///
/// 1: the first. 2: `spread.csv`, `curves.csv` and `places.csv` beside it, `baseline`,
/// `checksums` and the pinned processor in it.
pub const SCHEMA: u32 = 2;
/// The oldest `schema` that this version reads.
pub const OLDEST_SCHEMA: u32 = 1;
/// The first `schema` with `spread.csv`, `curves.csv` and `places.csv`.
pub const SCHEMA_WITH_SPREAD: u32 = 2;

/// How a function did against chance, most welcome first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Fewer collisions than a random function gives: the structure of these keys suits the function.
    FewerThanChance,
    /// No difference from a random function that this test could see.
    InBand,
    /// Worse than a random function, beyond what the number of tests explains.
    MeasurablyWorse,
    /// So much worse that at least four bits of the output width are lost on these keys.
    Unusable,
}

/// A row of `collisions.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CollisionRow {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the function.
    pub function: String,
    /// Width that was compared, in low bits of the value.
    pub bits: u32,
    /// Distinct keys.
    pub keys: u64,
    /// Distinct keys minus distinct values.
    pub collisions: u64,
    /// The same of a random function of this width.
    #[serde(with = "significant")]
    pub expected: f64,
    /// Two-sided, of this one test.
    #[serde(with = "significant")]
    pub p_value: f64,
    /// Lower end of the 99 % interval for the mean number of collisions.
    #[serde(with = "significant")]
    pub ci_low: f64,
    /// Upper end of that interval.
    #[serde(with = "significant")]
    pub ci_high: f64,
    /// Fewest collisions that a random function would show, at 1 % over all tests of the file.
    #[serde(with = "significant")]
    pub band_low: f64,
    /// Most collisions that a random function would show, at 1 % over all tests of the file.
    #[serde(with = "significant")]
    pub band_high: f64,
    /// `p_value` corrected for the number of tests in the file (Bonferroni).
    #[serde(with = "significant")]
    pub p_adjusted: f64,
    /// The verdict of this row.
    pub verdict: Verdict,
}

/// A row of `timing.csv` (independent calls) and of `latency.csv` (each call waits for the one before).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimingRow {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the function; `empty` is the floor.
    pub function: String,
    /// Keys in one batch.
    pub keys: u64,
    /// Bytes in one batch.
    pub bytes: u64,
    /// Median over the rounds, the floor not subtracted.
    #[serde(with = "significant")]
    pub median_ns_per_key: f64,
    /// Median absolute deviation from that median.
    #[serde(with = "significant")]
    pub mad_ns_per_key: f64,
    /// Number of rounds.
    pub samples: u64,
}

/// Whether a timed call waits for the result of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallForm {
    /// Calls overlap in the processor: throughput.
    Independent,
    /// Each call waits for the one before: latency.
    Chained,
}

impl CallForm {
    /// The word in the records.
    pub fn word(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Chained => "chained",
        }
    }
}

/// A row of `spread.csv`: how the readings behind a row of `timing.csv` or `latency.csv` lie, in nanoseconds per key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpreadRow {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the function; `empty` is the floor.
    pub function: String,
    /// How the calls were made.
    pub form: CallForm,
    /// Number of rounds.
    pub samples: u64,
    /// The fastest reading.
    #[serde(with = "significant")]
    pub min_ns: f64,
    /// A quarter of the readings are faster.
    #[serde(with = "significant")]
    pub q1_ns: f64,
    /// Half of them.
    #[serde(with = "significant")]
    pub median_ns: f64,
    /// Three quarters of them.
    #[serde(with = "significant")]
    pub q3_ns: f64,
    /// The slowest reading.
    #[serde(with = "significant")]
    pub max_ns: f64,
}

/// A row of `curves.csv`: the time of keys of one length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveRow {
    /// Name of the function; `empty` is the floor.
    pub function: String,
    /// Length of all keys, bytes.
    pub length: u64,
    /// How the calls were made.
    pub form: CallForm,
    /// Median over the rounds, the floor not subtracted.
    #[serde(with = "significant")]
    pub median_ns_per_key: f64,
    /// Median absolute deviation from that median.
    #[serde(with = "significant")]
    pub mad_ns_per_key: f64,
    /// Number of rounds.
    pub samples: u64,
}

/// Where keys lie while they are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Back to back in a buffer that the caches hold.
    Cache,
    /// Far apart in a buffer that they do not hold, visited in shuffled order: from main memory, as a rule.
    Memory,
}

/// A row of `places.csv`: the time of the same keys in two places.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlaceRow {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the function; `empty` is the floor.
    pub function: String,
    /// Where the keys lie.
    pub place: Place,
    /// How the calls were made.
    pub form: CallForm,
    /// Keys in one batch: a sample of the dataset's.
    pub keys: u64,
    /// Bytes from the first to the last of them in memory.
    pub footprint_bytes: u64,
    /// Median over the rounds, the floor not subtracted.
    #[serde(with = "significant")]
    pub median_ns_per_key: f64,
    /// Median absolute deviation from that median.
    #[serde(with = "significant")]
    pub mad_ns_per_key: f64,
    /// Number of rounds.
    pub samples: u64,
}

/// Which question a row of `distribution.csv` answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DistributionKind {
    /// Chi-square over `parameter` buckets, a power of two: the low bits choose.
    PowerOfTwoBuckets,
    /// Chi-square over `parameter` buckets, a prime: the remainder chooses.
    PrimeBuckets,
    /// Share of keys whose output bit `parameter` (0 is the lowest) is one; the p-value is that of the
    /// chi-square with one degree of freedom against one half.
    BitShare,
}

/// A row of `distribution.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DistributionRow {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the function.
    pub function: String,
    /// The question.
    pub kind: DistributionKind,
    /// Number of buckets, or index of the output bit.
    pub parameter: u64,
    /// Chi-square, or the share of ones.
    #[serde(with = "significant")]
    pub statistic: f64,
    /// Degrees of freedom behind the p-value.
    pub dof: u64,
    /// Upper tail: how often a random function is at least as uneven.
    #[serde(with = "significant")]
    pub p_value: f64,
}

/// Name of the row in `false_positives.csv` that shows the probe scheme with an ideal hash.
pub const IDEAL: &str = "ideal";
/// Name of the row in `timing.csv` and `latency.csv` that shows the cost of the loop itself.
pub const EMPTY: &str = "empty";

/// A row of `false_positives.csv`.
///
/// A function's row counts one filter, or two where a set is cut in halves that change parts. The row [`IDEAL`] adds up
/// those of several hashes with keys of their own, so that what functions are compared with is no matter of luck: four
/// over a generated set, over another as many as it takes for 1,000,000 probes, fewer where keys are very long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FalsePositiveRow {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the function; `ideal` is a keyed 64-bit hash cut to 32 bits, under several keys.
    pub function: String,
    /// Bits per key that the policy was given.
    pub bits_per_key: u32,
    /// Keys in a filter.
    pub keys: u64,
    /// Absent keys that were asked, over all filters of the row.
    pub probes: u64,
    /// Absent keys that were let through.
    pub false_positives: u64,
    /// `false_positives / probes`.
    #[serde(with = "significant")]
    pub rate: f64,
    /// Lower end of the 95 % interval of the rate.
    #[serde(with = "significant")]
    pub ci_low: f64,
    /// Upper end of that interval.
    #[serde(with = "significant")]
    pub ci_high: f64,
    /// `(1 - (1 - 1/m)^(kn))^k` with the filter's own m and k.
    #[serde(with = "significant")]
    pub theory: f64,
    /// Bytes of the keys in a filter; where there are two, in the first.
    pub raw_bytes: u64,
    /// Bytes of a filter, the trailing probe count included.
    pub filter_bytes: u64,
    /// `1 - filter_bytes / raw_bytes`.
    #[serde(with = "significant")]
    pub saved: f64,
}

/// `run.json`: what the CSV files do not say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Always [`FORMAT`].
    pub format: String,
    /// [`SCHEMA`] of the version that wrote it.
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
    /// SHA-256 of the files whose bytes depend on data and seed alone, by name, lower-case hex; runs of schema 1 have
    /// none.
    #[serde(default)]
    pub checksums: BTreeMap<String, String>,
    /// The machine and the build.
    pub environment: Environment,
    /// The datasets, in the order measured.
    pub datasets: Vec<DatasetSummary>,
    /// The functions, in the order measured.
    pub functions: Vec<FunctionSummary>,
    /// One for each dataset and function.
    pub findings: Vec<Finding>,
    /// Failed tests of single bits, which are no part of the verdicts; runs of older versions do not tell.
    #[serde(default)]
    pub bit_facts: Vec<BitFact>,
    /// What to take, one for each dataset; runs of older versions do not tell.
    #[serde(default)]
    pub recommendations: Vec<Recommendation>,
    /// What changed since an earlier run, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
}

/// The machine and the build behind the times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// CPU model as it names itself.
    pub cpu: String,
    /// Logical processors.
    pub logical_cpus: u64,
    /// Memory, bytes.
    pub memory_bytes: u64,
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
    #[serde(default)]
    pub pinned_cpu: Option<u64>,
    /// How long it measured times, those of lengths and places included, with warm-up and preparations, seconds.
    #[serde(default)]
    pub timing_seconds: Option<f64>,
    /// How often the system took the processor from the timing thread in these seconds (involuntary context switches).
    #[serde(default)]
    pub involuntary_switches_while_timing: Option<u64>,
    /// How long the timing thread was ready in these seconds and had no processor, seconds.
    #[serde(default)]
    pub seconds_waited_while_timing: Option<f64>,
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

    /// Whether other programs probably disturbed the timing; `None` where the system or an older run does not tell.
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

/// What a dataset is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    #[serde(with = "significant")]
    pub mean_len: f64,
    /// SHA-256 of the distinct keys in order, each followed by a line feed.
    pub sha256: String,
    /// Lines dropped because an equal one came before.
    pub duplicates_dropped: u64,
    /// Number of collisions at full width that this test could have told from chance, over the expected.
    #[serde(with = "significant")]
    pub detectable_ratio: f64,
}

/// Where the keys of a dataset come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatasetKind {
    /// A file inside the program.
    Embedded,
    /// Drawn by a recipe from the seed.
    Generated,
    /// The user's own file.
    File,
}

/// A kind of test that a function can fail, most telling first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailedTest {
    /// More collisions than chance gives.
    Collisions,
    /// More false positives than an ideal hash has in the same filter.
    FalsePositives,
    /// Buckets or output bits are filled unevenly.
    Distribution,
}

/// What all measurements together say of one function on one dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the function.
    pub function: String,
    /// The worst verdict of collisions, distribution and false positives.
    pub verdict: Verdict,
    /// Which kinds of test failed, most telling first; runs of older versions do not tell.
    #[serde(default)]
    pub failed: Vec<FailedTest>,
    /// Each failed test in words, most telling first, then the mechanisms that were measured of a failed function; empty
    /// when none failed.
    pub reasons: Vec<String>,
    /// The width at which collisions were furthest above chance.
    pub worst_bits: u32,
    /// Two distinct keys with one value at the compared width, escaped for print, where there are any. Only of keys
    /// longer than a thousand characters the middle is left out.
    pub example: Option<[String; 2]>,
}

#[cfg(test)]
mod tests;
