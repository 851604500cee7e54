//! Rate, memory and times of every policy of `filter-policy`: a row for each policy and size.
//!
//! Rates and sizes are counted and the same in every run; times are medians of rounds.

use plots::scene::Scene;
use records::number;
use records::number::grouped;

use crate::bars::{Bar, Bars, Drawn};
use crate::folder::Format;
use crate::rounds::timed;
use crate::suite::{self, Suite};
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
        #[serde(with = "statistics::significant")]
        rate: f64,
        /// The task.
        task: Task,
    }
    compared {
        group(filter_keys, task), contestant(policy), shared(filter_keys),
        baseline(|batch| batch.policy == Policy::Leveldb)
    }
}

/// The suite.
pub const SUITE: Suite<Batch, Row> = Suite::new(
    Format::new("which-policy-bench", 2, "which"),
    suite::rows,
    &[("which", chart)],
    summary,
);

/// Formats the table of times for the page `crates/filter-formats/WHICH.md`.
fn summary(rows: &[Row]) -> String {
    let mut sizes: Vec<u64> = rows.iter().map(|row| row.filter_keys).collect();
    sizes.dedup();
    let mut text = "\nNanoseconds a key: build / absent / present\n\n| policy |".to_owned();
    for size in &sizes {
        text += &format!(" {} keys |", grouped(*size));
    }
    text += &format!("\n|---|{}\n", "---:|".repeat(sizes.len()));
    for policy in Policy::ALL {
        text += &format!("| {} |", policy.on_page());
        for size in &sizes {
            let of = |row: &&Row| (row.policy, row.filter_keys) == (*policy, *size);
            // The rows are sorted by task.
            let tasks: Vec<String> = rows
                .iter()
                .filter(of)
                .map(|row| format!("{:.1}", row.median_ns))
                .collect();
            text += &format!(" {} |", tasks.join(" / "));
        }
        text.push('\n');
    }
    text
}

/// Draws a row for each policy, grouped by the keys of a filter, and a panel for each figure.
fn chart(rows: &[Row]) -> Option<Scene> {
    let draw = |row: &Row| {
        let (rate, bits) = (row.rate * 100.0, row.bytes as f64 * 8.0 / row.filter_keys as f64);
        let time = format!("{} ns", number::significant(row.median_ns, 3));
        let mut figures = vec![(2 + row.task as usize, row.median_ns, time)];
        // The same in the rows of all tasks.
        if row.task == Task::Build {
            figures.push((0, rate, format!("{rate:.2} %")));
            figures.push((1, bits, format!("{bits:.1}")));
        }
        let bar = |(panel, value, text)| {
            let bar = Bar {
                value,
                interval: None,
                text,
                filled: true,
            };
            (panel, bar)
        };
        let note = format!("keys of 16 bytes; times: medians of {} rounds", row.rounds);
        Some(Drawn {
            group: (format!("{} keys", grouped(row.filter_keys)), note),
            contestant: row.policy.words().to_owned(),
            bars: figures.into_iter().map(bar).collect(),
        })
    };
    let drawn: Vec<Drawn> = rows.iter().filter_map(draw).collect();
    let bars = Bars {
        description: "Rate, memory and times of every filter policy, by the keys of a filter",
        title: "Filter policies at 10 bits per key, unless the label gives another number",
        names: 130.0,
        panels: [
            ("Rate", "absent keys that match, %"),
            ("Memory", "bits of filter for each key"),
            ("Build", "ns a key"),
            ("Query, absent", "ns a key, one key a call"),
            ("Query, present", "ns a key, one key a call"),
        ]
        .map(|(title, axis)| (title, axis, 66.0))
        .into(),
        ..Bars::default()
    };
    Some(bars.scene(&drawn))
}
