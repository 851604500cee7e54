//! What a filter policy is worth to the point reads of a storage engine: from the batches that the engines' benchmark
//! programs write to medians, ratios and a chart.
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

/// The records of this benchmark.
pub const FORMAT: Format = Format {
    name: "point-reads-bench",
    schema: 1,
    rows: "point_reads",
    chart: "point-reads",
};

/// What answers for the filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// No filters.
    None,
    /// Filters as large as others, to which everything may match: no filters to an engine whose tables would have
    /// another shape without.
    AlwaysYes,
    /// The engine's own policy.
    Engine,
    /// Ours, with LevelDB's hash.
    OursLeveldbHash,
    /// Ours, with MurmurHash2.
    OursBloomfilter2,
    /// Denies every key without a look at the filter: for absent keys what the best of filters could do.
    AlwaysNo,
}

impl Policy {
    /// Whether the others are compared with it.
    pub fn is_baseline(self) -> bool {
        matches!(self, Self::None | Self::AlwaysYes)
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::None => "no filter",
            Self::AlwaysYes => "filters that say yes",
            Self::Engine => "the engine's own",
            Self::OursLeveldbHash => "ours, LevelDB's hash",
            Self::OursBloomfilter2 => "ours, BloomFilter2",
            Self::AlwaysNo => "free and perfect",
        }
    }
}

/// What the engine's block cache holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cache {
    /// Nothing: each block comes from the file, which the operating system has in memory.
    Nothing,
    /// The block read last, for engines that cannot do with less.
    OneBlock,
    /// Every block.
    Everything,
}

/// How the keys of a database look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeySet {
    /// Random numbers in hexadecimal digits.
    Random,
    /// Even decimal numbers in a row; absent are the odd ones between them.
    Decimal,
}

/// Which keys are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keys {
    /// Keys that the database does not have.
    Absent,
    /// Keys that it has.
    Present,
}

/// A row of `batches.csv`: Gets that were timed together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Name of the engine.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// What answers for the filters.
    pub policy: Policy,
    /// Bits of filter for each key.
    pub bits_per_key: u32,
    /// What the block cache holds.
    pub cache: Cache,
    /// How the keys look.
    pub key_set: KeySet,
    /// Entries of the database.
    pub entries: u64,
    /// Bytes of each key.
    pub key_bytes: u64,
    /// Bytes of each value.
    pub value_bytes: u64,
    /// Which keys were asked for.
    pub keys: Keys,
    /// Round of the run; in a round all policies are asked for the same keys.
    pub round: u64,
    /// Gets of the batch.
    pub gets: u64,
    /// Reads of the tables' files.
    pub blocks: u64,
    /// Time of all Gets together, nanoseconds.
    pub ns: u64,
}

/// A row of `point_reads.csv`: all rounds of a policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointReads {
    /// Name of the engine.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// What answers for the filters.
    pub policy: Policy,
    /// Bits of filter for each key.
    pub bits_per_key: u32,
    /// What the block cache holds.
    pub cache: Cache,
    /// How the keys look.
    pub key_set: KeySet,
    /// Entries of the database.
    pub entries: u64,
    /// Bytes of each key.
    pub key_bytes: u64,
    /// Bytes of each value.
    pub value_bytes: u64,
    /// Which keys were asked for.
    pub keys: Keys,
    /// Rounds of the run.
    pub rounds: u64,
    /// Gets of all rounds.
    pub gets: u64,
    /// Reads of the tables' files for each Get, over all rounds.
    #[serde(with = "significant")]
    pub blocks_per_get: f64,
    /// Median over the rounds.
    #[serde(with = "significant")]
    pub median_ns_per_get: f64,
    /// Median absolute deviation from that median.
    #[serde(with = "significant")]
    pub mad_ns_per_get: f64,
    /// Median over the rounds of this policy's time over that of the baseline in the same round.
    #[serde(with = "significant")]
    pub ratio_to_no_filter: f64,
    /// Lower end of the interval of that median, see [`INTERVAL_LEVEL`](benchmark::INTERVAL_LEVEL).
    #[serde(with = "significant")]
    pub ratio_low: f64,
    /// Upper end of that interval.
    #[serde(with = "significant")]
    pub ratio_high: f64,
}

/// Most Gets and blocks of a batch; far from where sums overflow.
const MOST: u64 = 1 << 40;

impl Record for Batch {
    const HEADER: &'static [&'static str] = &[
        "engine",
        "version",
        "policy",
        "bits_per_key",
        "cache",
        "key_set",
        "entries",
        "key_bytes",
        "value_bytes",
        "keys",
        "round",
        "gets",
        "blocks",
        "ns",
    ];

    fn fault(&self) -> Option<&'static str> {
        let positive = [self.entries, self.round, self.gets, self.ns];
        if positive.contains(&0) {
            Some("entries, round, gets and ns are at least 1")
        } else if self.gets > MOST || self.blocks > MOST {
            Some("gets and blocks are at most 2^40")
        } else {
            None
        }
    }
}

impl Record for PointReads {
    const HEADER: &'static [&'static str] = &[
        "engine",
        "version",
        "policy",
        "bits_per_key",
        "cache",
        "key_set",
        "entries",
        "key_bytes",
        "value_bytes",
        "keys",
        "rounds",
        "gets",
        "blocks_per_get",
        "median_ns_per_get",
        "mad_ns_per_get",
        "ratio_to_no_filter",
        "ratio_low",
        "ratio_high",
    ];

    fn fault(&self) -> Option<&'static str> {
        let numbers = [
            self.blocks_per_get,
            self.median_ns_per_get,
            self.mad_ns_per_get,
            self.ratio_low,
            self.ratio_to_no_filter,
            self.ratio_high,
        ];
        if numbers.iter().any(|number| !number.is_finite() || *number < 0.0) {
            Some("a number is negative or not finite")
        } else if !(self.ratio_low..=self.ratio_high).contains(&self.ratio_to_no_filter) {
            Some("ratio_to_no_filter is not from ratio_low to ratio_high")
        } else {
            None
        }
    }
}

/// Reads what a benchmark program wrote.
///
/// # Errors
///
/// When the file cannot be read or is malformed, with its line.
pub fn read_batches(path: &Path) -> Result<Vec<Batch>, RecordsError> {
    benchmark::read(path)
}

/// Reads a `point_reads.csv`.
///
/// # Errors
///
/// When the file cannot be read or is malformed, with its line.
pub fn read_rows(path: &Path) -> Result<Vec<PointReads>, RecordsError> {
    benchmark::read(path)
}

/// Writes records and chart, and moves them to `folder` when complete.
///
/// # Errors
///
/// When the batches contradict each other, when the folder is no longer ours to write, and when the system fails.
pub fn write(folder: &Folder, bench: &Bench, batches: &[Batch]) -> Result<Vec<PointReads>, OutputError> {
    benchmark::write(folder, bench, batches, summarize, chart::point_reads)
}
