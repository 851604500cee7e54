//! The effect of filter policies on the point reads of storage engines.

use plots::key::Sign;
use plots::scene::Scene;
use records::number;
use records::number::grouped;

use crate::bars::{Bar, Bars, Drawn};
use crate::folder::Format;
use crate::rounds::timed;
use crate::suite::{self, Suite};
use crate::summary::{interval, tables, with_spread};
use crate::words::words;

words! {
    /// The policy that answers for the filters.
    Policy {
        /// No filters.
        None = "no filter",
        /// Filters as large as others, to which everything may match. They stand for "no filters" in an engine whose
        /// tables would have another shape without filters.
        AlwaysYes = "filters that say yes",
        /// The engine's own policy.
        Engine = "the engine's own",
        /// Ours, with LevelDB's hash.
        OursLeveldbHash = "ours, LevelDB's hash",
        /// Ours, with MurmurHash2.
        OursBloomfilter2 = "ours, BloomFilter2",
        /// Ours, with RocksDB's 64-byte lines.
        OursFastLocal = "ours, FastLocalBloom",
        /// Ours, with Parquet's 32-byte blocks.
        OursSplitBlocks = "ours, split blocks",
        /// Denies every key without reading a filter: the lower bound for absent keys.
        AlwaysNo = "free and perfect",
    }
}

impl Policy {
    /// Returns true if the others are compared with this policy.
    pub fn is_baseline(self) -> bool {
        matches!(self, Self::None | Self::AlwaysYes)
    }
}

words! {
    /// The contents of the engine's block cache.
    Cache {
        /// Nothing: each block is read from the file, which is in the page cache.
        Nothing = "no block cached",
        /// The last block read, for engines that need at least one.
        OneBlock = "one block cached",
        /// Every block.
        Everything = "every block cached",
    }
}

words! {
    /// The form of a database's keys.
    KeySet {
        /// Random numbers in hexadecimal digits.
        Random = "random keys",
        /// Consecutive even decimal numbers; the absent keys are the odd numbers between them.
        Decimal = "decimal ids, absent ones between those stored",
    }
}

words! {
    /// The keys that are looked up.
    Keys {
        /// Keys that the database does not have.
        Absent = "absent keys",
        /// Keys that the database has.
        Present = "present keys",
    }
}

timed! {
    dimensions {
        /// Name of the engine.
        engine: String,
        /// The engine's version.
        version: String,
        /// The policy that answers for the filters.
        policy: Policy,
        /// Filter bits per key.
        bits_per_key: u32,
        /// The contents of the block cache.
        cache: Cache,
        /// The form of the keys.
        key_set: KeySet,
        /// Entries of the database.
        entries: u64,
        /// Bytes of each key.
        key_bytes: u64,
        /// Bytes of each value.
        value_bytes: u64,
        /// The keys that were looked up.
        keys: Keys,
    }
    compared {
        group(engine, key_set, cache, keys), contestant(policy), shared(version, entries, key_bytes, value_bytes),
        baseline(|batch| batch.policy.is_baseline())
    }
}

/// The suite.
pub const SUITE: Suite<Batch, Row> = Suite::new(
    Format::new("point-reads-bench", 2, "point_reads"),
    suite::rows,
    &[("point-reads", chart)],
    summary,
);

fn summary(rows: &[Row]) -> String {
    tables(
        rows,
        |row| {
            let (keys, cache) = (row.keys.words(), row.cache.words());
            format!("{} {}, {keys}, {cache}", row.engine, row.version)
        },
        &[
            ("policy", |row| row.policy.words().to_owned()),
            ("blocks/Get", |row| format!("{:.4}", row.seen_per_call)),
            ("ns/Get \u{b1} MAD", |row| {
                with_spread(row.median_ns, row.mad_ns, 0)
            }),
            ("of no filter", |row| format!("{:.3}", row.ratio)),
            ("95 % CI", |row| interval(row.ratio_low, row.ratio_high)),
        ],
        |_| String::new(),
    )
}

/// Draws a row for each policy, and panels for blocks and for time with and without cached blocks.
fn chart(rows: &[Row]) -> Option<Scene> {
    let draw = |row: &Row| {
        let full = row.keys == Keys::Absent;
        let is_cached = row.cache == Cache::Everything;
        let text = format!(
            "{} ({} ns)",
            number::significant(row.ratio, 3),
            number::significant(row.median_ns, 3)
        );
        let interval = Some((row.ratio_low, row.ratio_high));
        let time = Bar {
            value: row.ratio,
            interval,
            text,
            filled: full,
        };
        let text = number::significant(row.seen_per_call, 3);
        let blocks = Bar {
            value: row.seen_per_call,
            interval: None,
            text,
            filled: full,
        };
        let engine = match row.engine.as_str() {
            "leveldb" => "Google's LevelDB",
            other => other,
        };
        let database = format!(
            "{} entries, {} of {} bytes, values of {}; median of {} rounds",
            grouped(row.entries),
            row.key_set.words(),
            row.key_bytes,
            row.value_bytes,
            row.rounds
        );
        Some(Drawn {
            group: (format!("{engine} {}", row.version), database),
            contestant: row.policy.words().to_owned(),
            bars: if is_cached {
                vec![(2, time)]
            } else {
                vec![(0, blocks), (1, time)]
            },
        })
    };
    let axis = "time over that without filters; line: 95 % interval";
    let drawn: Vec<Drawn> = rows.iter().filter_map(draw).collect();
    let bars = Bars {
        description: "Blocks read and time per Get of storage engines, without filters and with each policy",
        title: "Point reads: what a filter is worth",
        key: vec![(Sign::Bar, "absent keys"), (Sign::HollowBar, "present keys")],
        names: 168.0,
        panels: vec![
            ("Blocks read per Get", "blocks; none or one cached", 64.0),
            ("Time per Get, blocks not cached", axis, 118.0),
            ("Time per Get, every block cached", axis, 118.0),
        ],
        ..Bars::default()
    };
    Some(bars.scene(&drawn))
}
