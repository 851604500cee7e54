//! Which policy: what every policy of `filter-policy` errs, takes and costs, from the batches of the benchmark program to
//! a row each and a chart.
//!
//! Rates and lengths were counted and are the same in every run; times are medians of rounds.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::benchmark::{self, Bench, Folder, Format, Record, Series, Timed, series};
use crate::chart;
use hash_comparison::record::folder::OutputError;
use hash_comparison::record::significant;
use hash_comparison::record::files::RecordsError;

/// The records of this benchmark.
pub const FORMAT: Format = Format {
    name: "which-policy-bench",
    schema: 1,
    rows: "which",
    chart: "which",
};

/// A policy with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// LevelDB's own format and hash.
    Leveldb,
    /// LevelDB's format with MurmurHash2.
    BloomFilter2,
    /// LevelDB's layout with a hash of 64 bits.
    BloomFilter64,
    /// RocksDB's Bloom filter.
    FastLocal,
    /// RocksDB's Bloom filter of old tables.
    LegacyFull,
    /// RocksDB's Ribbon filter.
    Ribbon,
    /// The same with the rate of 14 bits per key.
    Ribbon14,
}

impl Policy {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Leveldb => "LevelDB's",
            Self::BloomFilter2 => "BloomFilter2",
            Self::BloomFilter64 => "BloomFilter64",
            Self::FastLocal => "FastLocalBloom",
            Self::LegacyFull => "legacy full filter",
            Self::Ribbon => "Ribbon",
            Self::Ribbon14 => "Ribbon, 14 bits",
        }
    }

    /// As the page `WHICH.md` names it.
    pub fn on_page(self) -> &'static str {
        match self {
            Self::Leveldb => "`BloomFilterPolicy`, LevelDB's hash",
            Self::BloomFilter2 => "`BloomFilterPolicy`, MurmurHash2",
            Self::BloomFilter64 => "`BloomFilter64Policy`",
            Self::FastLocal => "`FastLocalBloomPolicy`",
            Self::LegacyFull => "`LegacyFullFilterPolicy`",
            Self::Ribbon => "`RibbonPolicy`",
            Self::Ribbon14 => "`RibbonPolicy`, 14 bits",
        }
    }
}

/// What is done with the keys of a batch, a key a call but for building.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Filters are built of them.
    Build,
    /// A filter without them is asked for them.
    Absent,
    /// A filter that has them is asked for them.
    Present,
}

/// A row of `batches.csv`: keys that were added or asked for together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Who did it.
    pub policy: Policy,
    /// Keys of a filter.
    pub filter_keys: u64,
    /// What the policy is configured with.
    pub bits_per_key: u32,
    /// Bytes of a filter.
    pub bytes: u64,
    /// Share of absent keys that match, of many filters.
    #[serde(with = "significant")]
    pub rate: f64,
    /// What was done.
    pub task: Task,
    /// Round of the run; in a round all policies get the same keys.
    pub round: u64,
    /// Keys of the batch.
    pub keys: u64,
    /// Time of all together, nanoseconds.
    pub ns: u64,
}

/// A row of `which.csv`: a policy and a size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Which {
    /// Which policy.
    pub policy: Policy,
    /// Keys of a filter.
    pub filter_keys: u64,
    /// What the policy is configured with.
    pub bits_per_key: u32,
    /// Bytes of a filter.
    pub bytes: u64,
    /// Share of absent keys that match, of many filters.
    #[serde(with = "significant")]
    pub rate: f64,
    /// Rounds of the run.
    pub rounds: u64,
    /// Time of a key in building, median over the rounds.
    #[serde(with = "significant")]
    pub build_ns: f64,
    /// Median absolute deviation from that median.
    #[serde(with = "significant")]
    pub build_mad_ns: f64,
    /// Time of a query for an absent key, median over the rounds.
    #[serde(with = "significant")]
    pub absent_ns: f64,
    /// Median absolute deviation from that median.
    #[serde(with = "significant")]
    pub absent_mad_ns: f64,
    /// Time of a query for a stored key, median over the rounds.
    #[serde(with = "significant")]
    pub present_ns: f64,
    /// Median absolute deviation from that median.
    #[serde(with = "significant")]
    pub present_mad_ns: f64,
}

impl Record for Batch {
    const HEADER: &'static [&'static str] = &[
        "policy",
        "filter_keys",
        "bits_per_key",
        "bytes",
        "rate",
        "task",
        "round",
        "keys",
        "ns",
    ];

    fn fault(&self) -> Option<&'static str> {
        let positive = [self.filter_keys, self.bytes, self.round, self.keys, self.ns];
        if positive.contains(&0) {
            Some("filter_keys, bytes, round, keys and ns are at least 1")
        } else if !(0.0..=1.0).contains(&self.rate) {
            Some("rate is from 0 to 1")
        } else {
            None
        }
    }
}

impl Record for Which {
    const HEADER: &'static [&'static str] = &[
        "policy",
        "filter_keys",
        "bits_per_key",
        "bytes",
        "rate",
        "rounds",
        "build_ns",
        "build_mad_ns",
        "absent_ns",
        "absent_mad_ns",
        "present_ns",
        "present_mad_ns",
    ];

    fn fault(&self) -> Option<&'static str> {
        let numbers = [
            self.rate,
            self.build_ns,
            self.build_mad_ns,
            self.absent_ns,
            self.absent_mad_ns,
            self.present_ns,
            self.present_mad_ns,
        ];
        let wrong = numbers.iter().any(|number| !number.is_finite() || *number < 0.0);
        wrong.then_some("a number is negative or not finite")
    }
}

impl Timed for Batch {
    type Contestant = Policy;
    const BASELINE: &'static str = "batches of LevelDB's format";
    const CONDITIONS: &'static str = "keys, bits per key, bytes or rate";

    fn contestant(&self) -> Policy {
        self.policy
    }

    fn is_baseline(&self) -> bool {
        self.policy == Policy::Leveldb
    }

    fn same_in_group(&self, other: &Self) -> bool {
        self.keys == other.keys
    }

    fn same_in_rounds(&self, other: &Self) -> bool {
        (self.bits_per_key, self.bytes, self.rate.to_bits())
            == (other.bits_per_key, other.bytes, other.rate.to_bits())
    }

    fn round(&self) -> u64 {
        self.round
    }

    fn calls(&self) -> u64 {
        self.keys
    }

    fn ns(&self) -> u64 {
        self.ns
    }

    fn named(&self) -> String {
        format!(
            "{:?}, {:?}, {} keys a filter, round {}",
            self.policy, self.task, self.filter_keys, self.round
        )
    }
}

/// The rows of all policies, sorted by size.
///
/// # Errors
///
/// In words, when batches contradict each other, and when a policy lacks a task.
pub fn summarize(batches: &[Batch]) -> Result<Vec<Which>, String> {
    let all = series(batches, |batch| (batch.filter_keys, batch.task))?;
    let mut tasks: BTreeMap<(u64, Policy), Vec<Series<'_, Batch>>> = BTreeMap::new();
    for series in all {
        let key = (series.first.filter_keys, series.first.policy);
        tasks.entry(key).or_default().push(series);
    }
    tasks.values().map(|tasks| row(tasks)).collect()
}

fn row(tasks: &[Series<'_, Batch>]) -> Result<Which, String> {
    // They are sorted by task.
    let [build, absent, present] = tasks else {
        let named = tasks
            .first()
            .map_or_else(String::new, |series| series.first.named());
        return Err(format!("{named}: not one of each task beside it"));
    };
    let first = build.first;
    if [absent, present]
        .iter()
        .any(|series| !series.first.same_in_rounds(first))
    {
        return Err(format!(
            "{}: {} differ between tasks",
            first.named(),
            Batch::CONDITIONS
        ));
    }
    Ok(Which {
        policy: first.policy,
        filter_keys: first.filter_keys,
        bits_per_key: first.bits_per_key,
        bytes: first.bytes,
        rate: first.rate,
        rounds: build.batches.len() as u64,
        build_ns: build.median_ns,
        build_mad_ns: build.mad_ns,
        absent_ns: absent.median_ns,
        absent_mad_ns: absent.mad_ns,
        present_ns: present.median_ns,
        present_mad_ns: present.mad_ns,
    })
}

/// Reads what the benchmark program wrote.
///
/// # Errors
///
/// When the file cannot be read or is malformed, with its line.
pub fn read_batches(path: &Path) -> Result<Vec<Batch>, RecordsError> {
    benchmark::read(path)
}

/// Writes records and chart, and moves them to `folder` when complete.
///
/// # Errors
///
/// When the batches contradict each other, when the folder is no longer ours to write, and when the system fails.
pub fn write(folder: &Folder, bench: &Bench, batches: &[Batch]) -> Result<Vec<Which>, OutputError> {
    benchmark::write(folder, bench, batches, summarize, chart::which)
}
