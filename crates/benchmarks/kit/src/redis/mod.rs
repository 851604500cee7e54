//! Queries and inserts of filters in Redis, over one connection, beside `redis-benchmark`: from the batches of the benchmark
//! program to medians, ratios and a chart.
//!
//! Statistics and files are those of all benchmarks, see [`benchmark`].

mod summary;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use self::summary::{BreakEven, break_even, summarize};
use crate::benchmark::{self, Bench, Folder, Format, Record};
use crate::chart;
use hash_comparison::record::folder::OutputError;
use hash_comparison::record::significant;
use hash_comparison::record::files::RecordsError;

/// The records of this benchmark.
pub const FORMAT: Format = Format {
    name: "redis-bench",
    schema: 1,
    rows: "redis",
    chart: "redis",
};

/// Who asks, or in which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// `redis-benchmark`, a command for each bit, one client.
    RedisBenchmark,
    /// `bloom-redis` with default options, over a blocking connection.
    Blocking,
    /// The same over an asynchronous one.
    Tokio,
    /// Blocking; a missing filter is an empty one, and no rebuild is looked for, as in the published programs.
    Published,
    /// As `Published`, with `GETBIT` and `SETBIT` in place of `BITFIELD`.
    Getbit,
    /// As `Published`, with a script.
    Script,
    /// As `Blocking`, a call for each key.
    Single,
    /// The filter in the asking process's memory.
    Local,
}

impl Client {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::RedisBenchmark => "redis-benchmark",
            Self::Blocking => "bloom-redis, blocking",
            Self::Tokio => "bloom-redis, tokio",
            Self::Published => "as published, BITFIELD",
            Self::Getbit => "as published, GETBIT, SETBIT",
            Self::Script => "as published, script",
            Self::Single => "a call for each key",
            Self::Local => "in local memory",
        }
    }
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Keys are asked for, of which half were inserted.
    Contains,
    /// New keys are inserted.
    Insert,
    /// The whole filter is fetched.
    Download,
}

impl Operation {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Contains => "contains",
            Self::Insert => "insert",
            Self::Download => "download",
        }
    }
}

/// A row of `batches.csv`: calls that were timed together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Who asks.
    pub client: Client,
    /// Name and version of the server.
    pub version: String,
    /// What was done.
    pub operation: Operation,
    /// Bits of the filter.
    pub bits: u64,
    /// Bits of a key.
    pub probes: u32,
    /// Keys of a round trip; of [`Client::Single`], those of the others.
    pub batch: u64,
    /// Round of the run; in a round all clients get the same keys.
    pub round: u64,
    /// Keys, or downloads.
    pub calls: u64,
    /// How many of the keys may be there, or were new; none where nobody looked.
    pub yes: u64,
    /// Time of all calls together, nanoseconds.
    pub ns: u64,
}

/// A row of `redis.csv`: all rounds of a client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Redis {
    /// Who asks.
    pub client: Client,
    /// Name and version of the server.
    pub version: String,
    /// What was done.
    pub operation: Operation,
    /// Bits of the filter.
    pub bits: u64,
    /// Bits of a key.
    pub probes: u32,
    /// Keys of a round trip; of [`Client::Single`], those of the others.
    pub batch: u64,
    /// Rounds of the run.
    pub rounds: u64,
    /// Keys, or downloads, of all rounds.
    pub calls: u64,
    /// Median over the rounds, for each key or download.
    #[serde(with = "significant")]
    pub median_ns_per_call: f64,
    /// Median absolute deviation from that median.
    #[serde(with = "significant")]
    pub mad_ns_per_call: f64,
    /// Keys or downloads a second, of that median.
    #[serde(with = "significant")]
    pub per_second: f64,
    /// Median over the rounds of this client's speed over that of `redis-benchmark` in the same round; downloads are
    /// compared with themselves.
    #[serde(with = "significant")]
    pub speed: f64,
    /// Lower end of the interval of that median, see [`INTERVAL_LEVEL`](benchmark::INTERVAL_LEVEL).
    #[serde(with = "significant")]
    pub speed_low: f64,
    /// Upper end of that interval.
    #[serde(with = "significant")]
    pub speed_high: f64,
}

/// Most calls of a batch; far from where sums overflow.
const MOST: u64 = 1 << 40;

impl Record for Batch {
    const HEADER: &'static [&'static str] = &[
        "client",
        "version",
        "operation",
        "bits",
        "probes",
        "batch",
        "round",
        "calls",
        "yes",
        "ns",
    ];

    fn fault(&self) -> Option<&'static str> {
        if [self.bits, self.batch, self.round, self.calls, self.ns].contains(&0) {
            Some("bits, batch, round, calls and ns are at least 1")
        } else if self.calls > MOST {
            Some("calls are at most 2^40")
        } else if self.yes > self.calls {
            Some("yes is more than calls")
        } else {
            None
        }
    }
}

impl Record for Redis {
    const HEADER: &'static [&'static str] = &[
        "client",
        "version",
        "operation",
        "bits",
        "probes",
        "batch",
        "rounds",
        "calls",
        "median_ns_per_call",
        "mad_ns_per_call",
        "per_second",
        "speed",
        "speed_low",
        "speed_high",
    ];

    fn fault(&self) -> Option<&'static str> {
        let numbers = [
            self.median_ns_per_call,
            self.mad_ns_per_call,
            self.per_second,
            self.speed_low,
            self.speed,
            self.speed_high,
        ];
        if numbers.iter().any(|number| !number.is_finite() || *number < 0.0) {
            Some("a number is negative or not finite")
        } else if !(self.speed_low..=self.speed_high).contains(&self.speed) {
            Some("speed is not from speed_low to speed_high")
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

/// Reads a `redis.csv`.
///
/// # Errors
///
/// When the file cannot be read or is malformed, with its line.
pub fn read_rows(path: &Path) -> Result<Vec<Redis>, RecordsError> {
    benchmark::read(path)
}

/// Writes records and chart, and moves them to `folder` when complete.
///
/// # Errors
///
/// When the batches contradict each other, when the folder is no longer ours to write, and when the system fails.
pub fn write(folder: &Folder, bench: &Bench, batches: &[Batch]) -> Result<Vec<Redis>, OutputError> {
    benchmark::write(folder, bench, batches, summarize, chart::redis)
}
