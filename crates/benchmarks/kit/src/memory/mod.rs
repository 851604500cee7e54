//! What filters and sets take for each key, against how often they are wrong: from the measurements of the program to
//! bits, rates with their intervals, and a chart.
//!
//! No time is measured. Files are those of all benchmarks, see [`benchmark`].

mod summary;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use self::summary::{INTERVAL_LEVEL, summarize};
use crate::benchmark::{self, Bench, Folder, Format, Record};
use crate::chart;
use hash_comparison::record::folder::OutputError;
use hash_comparison::record::significant;
use hash_comparison::record::files::RecordsError;

/// The records of this benchmark.
pub const FORMAT: Format = Format {
    name: "memory-bench",
    schema: 1,
    rows: "memory",
    chart: "memory",
};

/// What takes the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Structure {
    /// Guava's Bloom filter.
    Bloom,
    /// The same, shared by threads.
    ConcurrentBloom,
    /// The counting Bloom filter, with counters of 4 bits.
    Counting,
    /// The cuckoo filter.
    Cuckoo,
    /// The growing filter, made for a tenth of the keys at first.
    Growing,
    /// `HashSet<u64>`.
    HashSetU64,
    /// `HashSet<String>`.
    HashSetString,
}

impl Structure {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Bloom => "Bloom",
            Self::ConcurrentBloom => "concurrent Bloom",
            Self::Counting => "counting Bloom, 4 bits",
            Self::Cuckoo => "cuckoo",
            Self::Growing => "growing, from a tenth",
            Self::HashSetU64 => "HashSet<u64>",
            Self::HashSetString => "HashSet<String>",
        }
    }

    /// Whether it makes no mistakes.
    pub fn is_exact(self) -> bool {
        matches!(self, Self::HashSetU64 | Self::HashSetString)
    }
}

/// A row of `batches.csv`: a structure as it was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// What was built.
    pub structure: Structure,
    /// False-positive probability that it was made for; none for sets.
    pub asked_rate: Option<f64>,
    /// Keys in it.
    pub keys: u64,
    /// Bytes by its own account; none for sets.
    pub reported_bytes: Option<u64>,
    /// Bytes that it asked the allocator for and holds.
    pub allocated_bytes: u64,
    /// Most bytes that it held while it was built.
    pub peak_bytes: u64,
    /// Absent keys that were asked for.
    pub absent: u64,
    /// How many of them were said to be in.
    pub false_positives: u64,
}

/// A row of `memory.csv`: bits for each key, and the rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// What was built.
    pub structure: Structure,
    /// False-positive probability that it was made for; none for sets.
    pub asked_rate: Option<f64>,
    /// Keys in it.
    pub keys: u64,
    /// Bits for each key by its own account; none for sets.
    pub reported_bits_per_key: Option<f64>,
    /// Bits for each key that it holds of the allocator's.
    #[serde(with = "significant")]
    pub allocated_bits_per_key: f64,
    /// Most bits for each key that it held while it was built.
    #[serde(with = "significant")]
    pub peak_bits_per_key: f64,
    /// Absent keys that were asked for.
    pub absent: u64,
    /// How many of them were said to be in.
    pub false_positives: u64,
    /// Their share.
    #[serde(with = "significant")]
    pub rate: f64,
    /// Lower end of its interval, see [`INTERVAL_LEVEL`].
    #[serde(with = "significant")]
    pub rate_low: f64,
    /// Upper end of that interval.
    #[serde(with = "significant")]
    pub rate_high: f64,
    /// The fewest bits for each key with which anything can reach this rate: log2(1 / rate). None without a false
    /// positive.
    pub bound_bits_per_key: Option<f64>,
}

/// Most keys and bytes; far from where sums overflow.
const MOST: u64 = 1 << 48;

impl Record for Measurement {
    const HEADER: &'static [&'static str] = &[
        "structure",
        "asked_rate",
        "keys",
        "reported_bytes",
        "allocated_bytes",
        "peak_bytes",
        "absent",
        "false_positives",
    ];

    fn fault(&self) -> Option<&'static str> {
        let counts = [self.keys, self.absent, self.allocated_bytes, self.peak_bytes];
        if counts.iter().any(|count| !(1..=MOST).contains(count)) {
            Some("keys, absent, allocated_bytes and peak_bytes are 1 to 2^48")
        } else if self.peak_bytes < self.allocated_bytes {
            Some("peak_bytes are fewer than allocated_bytes")
        } else if self.reported_bytes.is_some_and(|bytes| bytes > MOST) {
            Some("reported_bytes are at most 2^48")
        } else if self.false_positives > self.absent {
            Some("false_positives are more than absent")
        } else if self.structure.is_exact() != self.asked_rate.is_none()
            || self.structure.is_exact() != self.reported_bytes.is_none()
        {
            Some("filters have asked_rate and reported_bytes, and sets have neither")
        } else if self.asked_rate.is_some_and(|rate| !(rate > 0.0 && rate < 1.0)) {
            Some("asked_rate is not between 0 and 1")
        } else {
            None
        }
    }
}

impl Record for Memory {
    const HEADER: &'static [&'static str] = &[
        "structure",
        "asked_rate",
        "keys",
        "reported_bits_per_key",
        "allocated_bits_per_key",
        "peak_bits_per_key",
        "absent",
        "false_positives",
        "rate",
        "rate_low",
        "rate_high",
        "bound_bits_per_key",
    ];

    fn fault(&self) -> Option<&'static str> {
        let numbers = [
            Some(self.allocated_bits_per_key),
            Some(self.peak_bits_per_key),
            self.reported_bits_per_key,
            self.bound_bits_per_key,
            self.asked_rate,
        ];
        let wrong = |number: &f64| !number.is_finite() || *number < 0.0;
        if numbers.iter().flatten().any(wrong) {
            Some("a number is negative or not finite")
        } else if !(0.0 <= self.rate_low
            && self.rate_low <= self.rate
            && self.rate <= self.rate_high
            && self.rate_high <= 1.0)
        {
            Some("rate is not from rate_low to rate_high, or these are not from 0 to 1")
        } else {
            None
        }
    }
}

/// Reads what the program wrote.
///
/// # Errors
///
/// When the file cannot be read or is malformed, with its line.
pub fn read_measurements(path: &Path) -> Result<Vec<Measurement>, RecordsError> {
    benchmark::read(path)
}

/// Reads a `memory.csv`.
///
/// # Errors
///
/// When the file cannot be read or is malformed, with its line.
pub fn read_rows(path: &Path) -> Result<Vec<Memory>, RecordsError> {
    benchmark::read(path)
}

/// Writes records and chart, and moves them to `folder` when complete.
///
/// # Errors
///
/// When the measurements contradict each other, when the folder is no longer ours to write, and when the system fails.
pub fn write(
    folder: &Folder,
    bench: &Bench,
    measurements: &[Measurement],
) -> Result<Vec<Memory>, OutputError> {
    benchmark::write(folder, bench, measurements, summarize, chart::memory)
}
