//! Puts and look-ups of Bloom filters of one size and probe count, Guava's among them: from the batches of the benchmark
//! program to medians, ratios to Guava and a chart.
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
    name: "membership-bench",
    schema: 1,
    rows: "membership",
    chart: "membership",
};

/// A filter that takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// Guava's `BloomFilter`, in Java.
    Guava,
    /// `guava-bloom`, a call for each key.
    Ours,
    /// `guava-bloom`, a call for many keys.
    OursBatch,
    /// `fastbloom` with the hasher that it comes with.
    FastbloomDefault,
    /// `fastbloom` with the hasher that its documentation names for speed.
    FastbloomFoldhash,
    /// `bloomfilter`.
    Bloomfilter,
}

impl Filter {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Guava => "Guava",
            Self::Ours => "guava-bloom",
            Self::OursBatch => "guava-bloom, many at once",
            Self::FastbloomDefault => "fastbloom",
            Self::FastbloomFoldhash => "fastbloom, foldhash",
            Self::Bloomfilter => "bloomfilter",
        }
    }
}

/// What is in a filter when it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contents {
    /// As many keys as it is made for, put into the empty filter.
    Keys,
    /// Random words, the same in every filter, and the keys that were put besides.
    RandomWords,
}

/// What is done with the keys of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// They are put.
    Put,
    /// They are asked for, and were not put.
    Absent,
    /// They are asked for, and were put.
    Present,
}

impl Operation {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Absent => "might contain, absent keys",
            Self::Present => "might contain, present keys",
        }
    }
}

/// A row of `batches.csv`: calls that were timed together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// The filter.
    pub filter: Filter,
    /// Version of its library.
    pub version: String,
    /// What was chosen where there is a choice: hash, seed, options of the virtual machine.
    pub setup: String,
    /// Bits that were asked for; the name of the size.
    pub bits: u64,
    /// Keys that the filter is made for.
    pub insertions: u64,
    /// What is in the filter.
    pub contents: Contents,
    /// Bits that it has.
    pub bit_size: u64,
    /// Probes of a key.
    pub probes: u32,
    /// What was done.
    pub operation: Operation,
    /// Round of the run; in a round all filters get the same keys.
    pub round: u64,
    /// Keys of the batch.
    pub calls: u64,
    /// How many of the calls said yes: bits changed, or the key may be there.
    pub yes: u64,
    /// Time of all calls together, nanoseconds.
    pub ns: u64,
}

/// A row of `membership.csv`: all rounds of a filter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Membership {
    /// The filter.
    pub filter: Filter,
    /// Version of its library.
    pub version: String,
    /// What was chosen where there is a choice: hash, seed, options of the virtual machine.
    pub setup: String,
    /// Bits that were asked for; the name of the size.
    pub bits: u64,
    /// Keys that the filter is made for.
    pub insertions: u64,
    /// What is in the filter.
    pub contents: Contents,
    /// Bits that it has.
    pub bit_size: u64,
    /// Probes of a key.
    pub probes: u32,
    /// What was done.
    pub operation: Operation,
    /// Rounds of the run.
    pub rounds: u64,
    /// Calls of all rounds.
    pub calls: u64,
    /// Share of the calls that said yes, over all rounds: with absent keys the false-positive rate.
    #[serde(with = "significant")]
    pub yes_share: f64,
    /// Median over the rounds.
    #[serde(with = "significant")]
    pub median_ns_per_call: f64,
    /// Median absolute deviation from that median.
    #[serde(with = "significant")]
    pub mad_ns_per_call: f64,
    /// Median over the rounds of this filter's time over that of Guava in the same round.
    #[serde(with = "significant")]
    pub ratio_to_guava: f64,
    /// Lower end of the interval of that median, see [`INTERVAL_LEVEL`](benchmark::INTERVAL_LEVEL).
    #[serde(with = "significant")]
    pub ratio_low: f64,
    /// Upper end of that interval.
    #[serde(with = "significant")]
    pub ratio_high: f64,
}

/// Most calls of a batch; far from where sums overflow.
const MOST: u64 = 1 << 40;

impl Record for Batch {
    const HEADER: &'static [&'static str] = &[
        "filter",
        "version",
        "setup",
        "bits",
        "insertions",
        "contents",
        "bit_size",
        "probes",
        "operation",
        "round",
        "calls",
        "yes",
        "ns",
    ];

    fn fault(&self) -> Option<&'static str> {
        let positive = [
            self.bits,
            self.insertions,
            self.bit_size,
            self.round,
            self.calls,
            self.ns,
        ];
        if positive.contains(&0) {
            Some("bits, insertions, bit_size, round, calls and ns are at least 1")
        } else if self.calls > MOST {
            Some("calls are at most 2^40")
        } else if self.yes > self.calls {
            Some("yes is more than calls")
        } else {
            None
        }
    }
}

impl Record for Membership {
    const HEADER: &'static [&'static str] = &[
        "filter",
        "version",
        "setup",
        "bits",
        "insertions",
        "contents",
        "bit_size",
        "probes",
        "operation",
        "rounds",
        "calls",
        "yes_share",
        "median_ns_per_call",
        "mad_ns_per_call",
        "ratio_to_guava",
        "ratio_low",
        "ratio_high",
    ];

    fn fault(&self) -> Option<&'static str> {
        let numbers = [
            self.yes_share,
            self.median_ns_per_call,
            self.mad_ns_per_call,
            self.ratio_low,
            self.ratio_to_guava,
            self.ratio_high,
        ];
        if numbers.iter().any(|number| !number.is_finite() || *number < 0.0) {
            Some("a number is negative or not finite")
        } else if self.yes_share > 1.0 {
            Some("yes_share is more than 1")
        } else if !(self.ratio_low..=self.ratio_high).contains(&self.ratio_to_guava) {
            Some("ratio_to_guava is not from ratio_low to ratio_high")
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

/// Reads a `membership.csv`.
///
/// # Errors
///
/// When the file cannot be read or is malformed, with its line.
pub fn read_rows(path: &Path) -> Result<Vec<Membership>, RecordsError> {
    benchmark::read(path)
}

/// Writes records and chart, and moves them to `folder` when complete.
///
/// # Errors
///
/// When the batches contradict each other, when the folder is no longer ours to write, and when the system fails.
pub fn write(folder: &Folder, bench: &Bench, batches: &[Batch]) -> Result<Vec<Membership>, OutputError> {
    benchmark::write(folder, bench, batches, summarize, chart::membership)
}
