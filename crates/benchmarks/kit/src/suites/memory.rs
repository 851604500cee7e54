//! Memory of filters and of sets for each key, against how often they are wrong. No time is measured.

use hash_comparison::record::table::Row;
use plots::thousands::grouped;
use serde::{Deserialize, Serialize};
use statistics::{binomial, significant};

use crate::charts;
use crate::folder::{Chart, Format};
use crate::rounds::INTERVAL_LEVEL;
use crate::suite::Suite;
use crate::summary::tables;
use crate::words::words;

words! {
    /// What takes the memory.
    Structure {
        /// Guava's Bloom filter.
        Bloom = "Bloom",
        /// The same, shared by threads.
        ConcurrentBloom = "concurrent Bloom",
        /// The counting Bloom filter, with counters of 4 bits.
        Counting = "counting Bloom, 4 bits",
        /// The cuckoo filter.
        Cuckoo = "cuckoo",
        /// The growing filter, made for a tenth of the keys at first.
        Growing = "growing, from a tenth",
        /// `HashSet<u64>`.
        HashSetU64 = "HashSet<u64>",
        /// `HashSet<String>`.
        HashSetString = "HashSet<String>",
    }
}

impl Structure {
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

impl Row for Measurement {}

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

impl Row for Memory {}

impl From<&Measurement> for Memory {
    fn from(of: &Measurement) -> Self {
        let bits = |bytes: u64| bytes as f64 * 8.0 / of.keys as f64;
        let rate = of.false_positives as f64 / of.absent as f64;
        let (rate_low, rate_high) = binomial::share_interval(of.false_positives, of.absent, INTERVAL_LEVEL);
        Self {
            structure: of.structure,
            asked_rate: of.asked_rate,
            keys: of.keys,
            reported_bits_per_key: of.reported_bytes.map(bits).map(significant::round),
            allocated_bits_per_key: bits(of.allocated_bytes),
            peak_bits_per_key: bits(of.peak_bytes),
            absent: of.absent,
            false_positives: of.false_positives,
            rate,
            rate_low,
            rate_high,
            bound_bits_per_key: (rate > 0.0).then(|| significant::round(-libm::log2(rate))),
        }
    }
}

/// The suite.
pub struct Structures;

impl Suite for Structures {
    type Batch = Measurement;
    type Row = Memory;
    const FORMAT: Format = Format {
        name: "memory-bench",
        schema: 1,
        rows: "memory",
    };

    fn rows(measurements: &[Measurement]) -> Result<Vec<Memory>, String> {
        Ok(measurements.iter().map(Memory::from).collect())
    }

    fn charts(rows: &[Memory]) -> Vec<Chart> {
        charts::one("memory", charts::memory::scene(rows))
    }

    fn summary(rows: &[Memory]) -> String {
        tables(
            rows,
            |row| format!("{} phone numbers", grouped(row.keys)),
            &[
                ("structure", |row| row.structure.words().to_owned()),
                ("asked", |row| {
                    let share = |rate| format!("{} %", rate * 100.0);
                    row.asked_rate.map_or_else(String::new, share)
                }),
                ("FP rate", |row| format!("{:.5} %", row.rate * 100.0)),
                ("bits/key", |row| format!("{:.2}", row.allocated_bits_per_key)),
                ("built with", |row| format!("{:.2}", row.peak_bits_per_key)),
                ("least", |row| {
                    let bits = |bits| format!("{bits:.2}");
                    row.bound_bits_per_key.map_or_else(String::new, bits)
                }),
            ],
            |_| String::new(),
        )
    }
}
