//! Building filters and asking them, an engine's own policy among those who do: from the batches of the benchmark programs
//! to medians, ratios to the engine and a chart. Filters of LevelDB's and of RocksDB's are two runs with records of
//! their own.
//!
//! Statistics and files are those of all benchmarks, see [`benchmark`].

mod summary;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use self::summary::summarize;
use crate::benchmark::{self, Bench, Folder, Format, Record};
use crate::chart;
use hash_comparison::record::folder::OutputError;
use hash_comparison::record::significant;
use hash_comparison::record::files::RecordsError;

/// The records of filters of LevelDB's.
pub const FORMAT: Format = Format {
    name: "policy-bench",
    schema: 2,
    rows: "policy",
    chart: "policy",
};

/// The records of filters of RocksDB's.
pub const ROCKSDB_FORMAT: Format = Format {
    name: "rocksdb-policy-bench",
    ..FORMAT
};

/// Who does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contender {
    /// Google's LevelDB, in C++ through its virtual functions.
    Leveldb,
    /// Facebook's RocksDB, in C++ through its virtual functions: FastLocalBloom, a key a call.
    Rocksdb,
    /// The same, 32 keys a call.
    RocksdbBatch,
    /// RocksDB's own Ribbon filter.
    RocksdbRibbon,
    /// The engine's filters by `filter-policy` and its portable kernel.
    Scalar,
    /// The same by its kernel for AVX2.
    Avx2,
    /// The same by its kernel for AVX-512.
    Avx512,
    /// RocksDB's Ribbon filter by `filter-policy`. Its bytes are fewer.
    Ribbon,
    /// `BloomFilter64.Xxph3` of `filter-policy`.
    Bloom64,
    /// rusty-leveldb's own policy, whose filters are LevelDB's.
    RustyLeveldb,
    /// `sbbf-rs`, which gets XXH3 of each key. Its filters are its own.
    SbbfXxh3,
    /// `sbbf-rs`, which gets RocksDB's hash of each key.
    SbbfXxph3,
    /// `fastbloom`, which gets the engine's hash of each key. Its filters are its own.
    FastbloomHashes,
    /// `fastbloom` with the hasher that it comes with.
    FastbloomDefault,
}

impl Contender {
    /// Every one, in the order of the records.
    pub(crate) const ALL: [Self; 14] = [
        Self::Leveldb,
        Self::Rocksdb,
        Self::RocksdbBatch,
        Self::RocksdbRibbon,
        Self::Scalar,
        Self::Avx2,
        Self::Avx512,
        Self::Ribbon,
        Self::Bloom64,
        Self::RustyLeveldb,
        Self::SbbfXxh3,
        Self::SbbfXxph3,
        Self::FastbloomHashes,
        Self::FastbloomDefault,
    ];

    /// Whether it is the engine that the others are compared with.
    pub fn is_engine(self) -> bool {
        matches!(self, Self::Leveldb | Self::Rocksdb)
    }

    /// Whether it is this project's, in which case it has several forms.
    fn is_ours(self) -> bool {
        matches!(
            self,
            Self::Scalar | Self::Avx2 | Self::Avx512 | Self::Ribbon | Self::Bloom64
        )
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Leveldb => "LevelDB",
            Self::Rocksdb => "RocksDB",
            Self::RocksdbBatch => "RocksDB, 32 a call",
            Self::RocksdbRibbon => "RocksDB's Ribbon",
            Self::Scalar => "scalar",
            Self::Avx2 => "AVX2",
            Self::Avx512 => "AVX-512",
            Self::Ribbon => "Ribbon",
            Self::Bloom64 => "BloomFilter64",
            Self::RustyLeveldb => "rusty-leveldb",
            Self::SbbfXxh3 => "sbbf-rs",
            Self::SbbfXxph3 => "sbbf-rs, our hash",
            Self::FastbloomHashes => "fastbloom, by hash",
            Self::FastbloomDefault => "fastbloom",
        }
    }
}

/// How it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// A call for each key; the filter is looked at anew each time.
    OneByOne,
    /// A call for each key on a filter that was prepared once.
    Prepared,
    /// A call for every 32 keys, which are slices: as many as RocksDB has in one.
    #[serde(rename = "slices-32")]
    SlicesOf32,
    /// A call for many keys, which are slices.
    Slices,
    /// A call for many keys, which lie one behind the other in memory.
    Packed,
}

impl Form {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::OneByOne => "one by one",
            Self::Prepared => "prepared",
            Self::SlicesOf32 => "slices, 32 a call",
            Self::Slices => "slices",
            Self::Packed => "packed",
        }
    }
}

/// What is done with the keys of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Filters are built of them.
    Build,
    /// A filter without them is asked for them.
    Absent,
    /// A filter that has them is asked for them.
    Present,
    /// A filter is asked for keys half of which it has, without order.
    Both,
}

impl Task {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Absent => "query, absent keys",
            Self::Present => "query, present keys",
            Self::Both => "query, half of the keys present",
        }
    }
}

/// How long keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum KeyLengths {
    /// 16 bytes each.
    #[serde(rename = "16")]
    Fixed,
    /// 4 to 40 bytes, all equally often.
    #[serde(rename = "4-40")]
    Mixed,
}

impl KeyLengths {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Fixed => "keys of 16 bytes",
            Self::Mixed => "keys of 4 to 40 bytes",
        }
    }
}

/// A row of `batches.csv`: keys that were added or asked for together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Who did it.
    pub contender: Contender,
    /// How it was called.
    pub form: Form,
    /// Version of its library.
    pub version: String,
    /// What was done.
    pub task: Task,
    /// How long the keys are.
    pub key_lengths: KeyLengths,
    /// Keys of a filter.
    pub filter_keys: u64,
    /// Bits of filter for each key.
    pub bits_per_key: u32,
    /// Round of the run; in a round all contenders get the same keys.
    pub round: u64,
    /// Keys of the batch.
    pub keys: u64,
    /// Time of all together, nanoseconds.
    pub ns: u64,
}

/// A row of `policy.csv`: all rounds of a contender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    /// Who did it.
    pub contender: Contender,
    /// How it was called.
    pub form: Form,
    /// Version of its library.
    pub version: String,
    /// What was done.
    pub task: Task,
    /// How long the keys are.
    pub key_lengths: KeyLengths,
    /// Keys of a filter.
    pub filter_keys: u64,
    /// Bits of filter for each key.
    pub bits_per_key: u32,
    /// Rounds of the run.
    pub rounds: u64,
    /// Keys of all rounds.
    pub keys: u64,
    /// Median over the rounds.
    #[serde(with = "significant")]
    pub median_ns_per_key: f64,
    /// Median absolute deviation from that median.
    #[serde(with = "significant")]
    pub mad_ns_per_key: f64,
    /// Median over the rounds of this contender's time over that of the engine in the same round.
    #[serde(with = "significant")]
    pub ratio_to_engine: f64,
    /// Lower end of the interval of that median, see [`INTERVAL_LEVEL`](benchmark::INTERVAL_LEVEL).
    #[serde(with = "significant")]
    pub ratio_low: f64,
    /// Upper end of that interval.
    #[serde(with = "significant")]
    pub ratio_high: f64,
}

impl Policy {
    /// Contender and form in words; the form where the contender has more than one for a task.
    pub fn name(&self) -> String {
        let words = self.contender.words();
        if self.contender.is_ours() {
            format!("{words}, {}", self.form.words())
        } else {
            words.to_owned()
        }
    }
}

/// Most keys of a batch; far from where sums overflow.
const MOST: u64 = 1 << 40;

impl Record for Batch {
    const HEADER: &'static [&'static str] = &[
        "contender",
        "form",
        "version",
        "task",
        "key_lengths",
        "filter_keys",
        "bits_per_key",
        "round",
        "keys",
        "ns",
    ];

    fn fault(&self) -> Option<&'static str> {
        let positive = [self.filter_keys, self.round, self.keys, self.ns];
        if positive.contains(&0) {
            Some("filter_keys, round, keys and ns are at least 1")
        } else if self.keys > MOST {
            Some("keys are at most 2^40")
        } else {
            None
        }
    }
}

impl Record for Policy {
    const HEADER: &'static [&'static str] = &[
        "contender",
        "form",
        "version",
        "task",
        "key_lengths",
        "filter_keys",
        "bits_per_key",
        "rounds",
        "keys",
        "median_ns_per_key",
        "mad_ns_per_key",
        "ratio_to_engine",
        "ratio_low",
        "ratio_high",
    ];

    fn fault(&self) -> Option<&'static str> {
        let numbers = [
            self.median_ns_per_key,
            self.mad_ns_per_key,
            self.ratio_low,
            self.ratio_to_engine,
            self.ratio_high,
        ];
        if numbers.iter().any(|number| !number.is_finite() || *number < 0.0) {
            Some("a number is negative or not finite")
        } else if !(self.ratio_low..=self.ratio_high).contains(&self.ratio_to_engine) {
            Some("ratio_to_engine is not from ratio_low to ratio_high")
        } else {
            None
        }
    }
}

/// Reads what the benchmark program wrote.
///
/// # Errors
///
/// When the file cannot be read or is malformed, with its line.
pub fn read_batches(path: &Path) -> Result<Vec<Batch>, RecordsError> {
    benchmark::read(path)
}

/// Reads a `policy.csv`.
///
/// # Errors
///
/// When the file cannot be read or is malformed, with its line.
pub fn read_rows(path: &Path) -> Result<Vec<Policy>, RecordsError> {
    benchmark::read(path)
}

/// Writes records and chart, and moves them to `folder` when complete.
///
/// # Errors
///
/// When the batches contradict each other, when the folder is no longer ours to write, and when the system fails.
pub fn write(folder: &Folder, bench: &Bench, batches: &[Batch]) -> Result<Vec<Policy>, OutputError> {
    benchmark::write(folder, bench, batches, summarize, chart::policy)
}
