//! Rate, memory and times of every policy of `filter-policy`: a row for each policy and size.
//!
//! Rates and sizes are counted and the same in every run; times are medians of rounds.

use std::collections::BTreeMap;

use plots::bars::{Bars, Measure};
use plots::scene::Scene;
use records::number;
use records::number::grouped;
use serde::{Deserialize, Serialize};

use crate::charts::{self, Drawn};
use crate::folder::Format;
use crate::rounds::{Series, series, timed};
use crate::suite::Suite;
use crate::words::words;

words! {
    /// A policy with its settings. The display text is its name in charts.
    Policy {
        /// LevelDB's own format and hash.
        Leveldb = "LevelDB's",
        /// LevelDB's format with MurmurHash2.
        BloomFilter2 = "BloomFilter2",
        /// LevelDB's layout with a 64-bit hash.
        BloomFilter64 = "BloomFilter64",
        /// RocksDB's Bloom filter.
        FastLocal = "FastLocalBloom",
        /// RocksDB's Bloom filter of old tables.
        LegacyFull = "legacy full filter",
        /// RocksDB's Ribbon filter.
        Ribbon = "Ribbon",
        /// RocksDB's Ribbon filter with the rate of 14 bits per key.
        Ribbon14 = "Ribbon, 14 bits",
    }
}

impl Policy {
    /// Returns the policy's name on the page `WHICH.md`.
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

words! {
    /// The operation on the keys of a batch; queries are one key per call.
    Task {
        /// Builds filters of the keys.
        Build = "build",
        /// Queries a filter for absent keys.
        Absent = "absent",
        /// Queries a filter for stored keys.
        Present = "present",
    }
}

timed! {
    dimensions {
        /// The policy.
        policy: Policy,
        /// Keys of a filter.
        filter_keys: u64,
        /// The configured bits per key.
        bits_per_key: u32,
        /// Bytes of a filter.
        bytes: u64,
        /// Share of absent keys that match, over many filters.
        rate: f64,
        /// The task.
        task: Task,
    }
    compared {
        group(filter_keys, task), contestant(policy), shared(filter_keys),
        baseline(|batch| batch.policy == Policy::Leveldb)
    }
    batch {
        /// Keys of the batch.
        keys,
    }
}

/// A row of `which.csv`: a policy and a size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Which {
    /// The policy.
    pub policy: Policy,
    /// Keys of a filter.
    pub filter_keys: u64,
    /// The configured bits per key.
    pub bits_per_key: u32,
    /// Bytes of a filter.
    pub bytes: u64,
    /// Share of absent keys that match, over many filters.
    #[serde(with = "statistics::significant")]
    pub rate: f64,
    /// Rounds of the run.
    pub rounds: u64,
    /// Build time per key, median over the rounds.
    #[serde(with = "statistics::significant")]
    pub build_ns: f64,
    /// Median absolute deviation from that median.
    #[serde(with = "statistics::significant")]
    pub build_mad_ns: f64,
    /// Query time per absent key, median over the rounds.
    #[serde(with = "statistics::significant")]
    pub absent_ns: f64,
    /// Median absolute deviation from that median.
    #[serde(with = "statistics::significant")]
    pub absent_mad_ns: f64,
    /// Query time per stored key, median over the rounds.
    #[serde(with = "statistics::significant")]
    pub present_ns: f64,
    /// Median absolute deviation from that median.
    #[serde(with = "statistics::significant")]
    pub present_mad_ns: f64,
}

/// The suite.
pub const SUITE: Suite<Batch, Which> = Suite::new(
    Format::new("which-policy-bench", 1, "which"),
    rows,
    &[("which", chart)],
    summary,
);

/// Formats the table of times for the page `crates/filter-formats/WHICH.md`.
fn summary(rows: &[Which]) -> String {
    let mut sizes: Vec<u64> = rows.iter().map(|row| row.filter_keys).collect();
    sizes.dedup();
    let mut text = "\nNanoseconds a key: build / absent / present\n\n| policy |".to_owned();
    for size in &sizes {
        text += &format!(" {} keys |", grouped(*size));
    }
    text += &format!("\n|---|{}\n", "---:|".repeat(sizes.len()));
    for policy in Policy::ALL {
        text += &format!("| {} |", policy.on_page());
        for row in rows.iter().filter(|row| row.policy == *policy) {
            let (build, absent, present) = (row.build_ns, row.absent_ns, row.present_ns);
            text += &format!(" {build:.1} / {absent:.1} / {present:.1} |");
        }
        text.push('\n');
    }
    text
}

fn rows(batches: &[Batch]) -> Result<Vec<Which>, String> {
    let mut tasks: BTreeMap<_, Vec<Series<'_, Batch>>> = BTreeMap::new();
    for series in series(batches)? {
        let first = series.first;
        let counted = (first.bits_per_key, first.bytes, first.rate.to_bits());
        tasks
            .entry((first.filter_keys, first.policy, counted))
            .or_default()
            .push(series);
    }
    tasks.values().map(|tasks| row(tasks)).collect()
}

fn row(tasks: &[Series<'_, Batch>]) -> Result<Which, String> {
    // The series are sorted by task.
    let [build, absent, present] = tasks else {
        let policy = tasks
            .first()
            .map(|series| (series.first.policy, series.first.filter_keys));
        return Err(format!("{policy:?} must have one row per task"));
    };
    let first = build.first;
    Ok(Which {
        policy: first.policy,
        filter_keys: first.filter_keys,
        bits_per_key: first.bits_per_key,
        bytes: first.bytes,
        rate: first.rate,
        rounds: build.rounds,
        build_ns: build.median_ns,
        build_mad_ns: build.mad_ns,
        absent_ns: absent.median_ns,
        absent_mad_ns: absent.mad_ns,
        present_ns: present.median_ns,
        present_mad_ns: present.mad_ns,
    })
}

/// Draws a row for each policy, grouped by the keys of a filter, and a panel for each figure.
fn chart(rows: &[Which]) -> Option<Scene> {
    let ns = |value| (value, format!("{} ns", number::significant(value, 3)));
    let draw = |row: &Which| {
        let (rate, bits) = (row.rate * 100.0, row.bytes as f64 * 8.0 / row.filter_keys as f64);
        let figures = [
            (rate, format!("{rate:.2} %")),
            (bits, format!("{bits:.1}")),
            ns(row.build_ns),
            ns(row.absent_ns),
            ns(row.present_ns),
        ];
        let bar = |(value, text)| charts::bar(value, None, text, true);
        let note = format!("keys of 16 bytes; times: medians of {} rounds", row.rounds);
        Some(Drawn {
            group: (format!("{} keys", grouped(row.filter_keys)), note),
            contestant: row.policy.words().to_owned(),
            bars: figures.map(bar).into_iter().enumerate().collect(),
        })
    };
    let panel = |(title, axis)| Measure {
        title,
        axis,
        texts: 66.0,
        ..Measure::default()
    };
    let bars = Bars {
        tick: number::tick,
        description: "Rate, memory and times of every filter policy, by the keys of a filter",
        title: "Filter policies at 10 bits per key, unless the label gives another number",
        names: 130.0,
        measures: [
            ("Rate", "absent keys that match, %"),
            ("Memory", "bits of filter for each key"),
            ("Build", "ns a key"),
            ("Query, absent", "ns a key, one key a call"),
            ("Query, present", "ns a key, one key a call"),
        ]
        .map(panel)
        .into(),
        groups: charts::groups(rows, draw),
        ..Bars::default()
    };
    Some(bars.scene())
}
