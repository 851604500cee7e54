//! False positives of every policy and filter, compared with those of an ideal filter, by bits per key and by the number
//! of keys. Nothing is timed: the program writes the rows themselves.

use plots::number;
use plots::scale::Scale;
use plots::scene::{INK, PALETTE, Scene};
use plots::thousands::grouped;
use plots::xy::{Axis, Marks, Plot, Row as PlotRow, Series, Sheet};
use serde::{Deserialize, Serialize};

use crate::charts::distinct;
use crate::folder::Format;
use crate::suite::{self, Suite};
use crate::summary::across;
use crate::words::words;

/// The name of the series of an ideal hash.
pub const IDEAL: &str = "ideal hash";

/// The name of the series of LevelDB's own policy.
pub const LEVELDB: &str = "leveldb.BuiltinBloomFilter2";

/// Bits per key at all sizes.
pub const FEW_BITS: [u32; 3] = [10, 15, 20];

words! {
    /// How a filter's bits follow from a hash value.
    Scheme {
        /// LevelDB's: 32 bits of hash, each probe the hash rotated by 17 bits further on.
        Leveldb = "LevelDB's",
        /// None that is stored: 64 bits of an ideal hash, and independent probes.
        Ideal = "ideal",
        /// That of `BloomFilter64.Xxph3`.
        Bloom64 = "BloomFilter64",
        /// RocksDB's lines of 64 bytes.
        FastLocalBloom = "FastLocalBloom",
        /// RocksDB's up to format version 4.
        LegacyFull = "legacy full filter",
        /// RocksDB's Ribbon.
        Ribbon = "Ribbon",
        /// Guava's `MURMUR128_MITZ_64`.
        GuavaMitz64 = "Guava, MITZ_64",
        /// Guava's `MURMUR128_MITZ_32`.
        GuavaMitz32 = "Guava, MITZ_32",
        /// Guava's, with counters of four bits.
        Counting = "counting",
        /// Fingerprints in buckets.
        Cuckoo = "cuckoo",
        /// A chain of Guava's filters, the first made for a tenth of the keys.
        Growing = "growing",
    }
}

words! {
    /// How keys come about.
    KeyForm {
        /// The outputs of SplitMix64 in decimal, 1 to 20 digits and mostly 19 or 20: the keys of the dataset
        /// `random-strings`. The generator gives each number once in its period of 2^64.
        RandomDecimals = "random decimals",
        /// Numbers that count up from 0, sixteen digits each.
        NumbersInARow = "numbers in a row",
    }
}

/// A row of `rates.csv`: the filters of a series, a size and a number of bits per key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Name of the policy or the filter, or of the hash function in LevelDB's scheme.
    pub series: String,
    /// How it places its bits.
    pub scheme: Scheme,
    /// Which keys it was given.
    pub key_form: KeyForm,

    /// Bits per key that it was configured with. Filters that are made for a rate get the lowest one that so many bits
    /// allow, e^(-b (ln 2)^2).
    pub bits_per_key: u32,
    /// Keys of a filter.
    pub keys: u64,
    /// Filters that were built, each from keys of its own.
    pub filters: u64,
    /// Absent keys that they were asked for, all together.
    pub probes: u64,
    /// How many of them matched.
    pub false_positives: u64,
    /// Their share.
    #[serde(with = "statistics::significant")]
    pub rate: f64,
    /// Lower end of its interval, see [`INTERVAL_LEVEL`](crate::INTERVAL_LEVEL).
    #[serde(with = "statistics::significant")]
    pub ci_low: f64,
    /// Upper end of that interval.
    #[serde(with = "statistics::significant")]
    pub ci_high: f64,
    /// The exact rate of an ideal Bloom filter with the same bits, probes and keys: an ideal hash and independent probes.
    /// Ribbon, cuckoo and growing filters, which are not one array that is probed, are held against the best ideal Bloom
    /// filter of `bits_per_key`.
    #[serde(with = "statistics::significant")]
    pub ideal: f64,
    /// What the filter's own formula says: of the policies [`filter_policy::sizing::Format::rate`], of a growing filter the
    /// rate that it was made for and stays under; of Guava's, the counting and the legacy filter the ideal one.
    #[serde(with = "statistics::significant")]
    pub expected: f64,
    /// Bytes of a filter as stored; the mean where they differ.
    #[serde(with = "statistics::significant")]
    pub bytes: f64,
}

impl Rate {
    /// Bits that are stored for a key.
    pub fn stored_bits_per_key(&self) -> f64 {
        self.bytes * 8.0 / self.keys as f64
    }

    /// Series and keys, in words.
    pub fn name(&self) -> String {
        let name = match (self.series.as_str(), self.scheme) {
            (IDEAL, Scheme::Ideal) => "ideal hash and probes",
            (IDEAL, _) => "ideal hash of 32 bits",
            (LEVELDB, _) => "LevelDB's own hash",
            (name, _) => name,
        };
        match self.key_form {
            KeyForm::RandomDecimals => name.to_owned(),
            KeyForm::NumbersInARow => format!("{name}, in a row"),
        }
    }
}

/// The suite.
pub const SUITE: Suite<Rate, Rate> = Suite {
    keeps_batches: false,
    ..Suite::new(
        Format::new("rates-bench", 1, "rates"),
        suite::as_written,
        &[("rates-by-keys", by_keys), ("rates-by-bits", by_bits)],
        summary,
    )
};

/// A table for each of the bits per key that all sizes have: rates over the ideal one by size.
fn summary(rows: &[Rate]) -> String {
    let sizes = distinct(rows.iter().map(|row| row.keys));
    // As many as fit beside the names, the largest among them.
    let step = sizes.len().div_ceil(6).max(1);
    let shown: Vec<u64> = sizes.iter().rev().step_by(step).copied().collect();
    let mut text = String::new();
    for bits in FEW_BITS {
        let of_table = rows
            .iter()
            .filter(|row| row.bits_per_key == bits && shown.contains(&row.keys));
        let table = across(
            &of_table.collect::<Vec<_>>(),
            &format!("{bits} bits per key"),
            |row| row.name(),
            |row| grouped(row.keys),
            |row| format!("{:.2}", row.rate / row.ideal),
        );
        text.push_str(&format!("\n{table}\n"));
    }
    text.push_str(
        "\nFalse positives over those of an ideal filter, by the keys of a filter. Rates are in rates.csv.\n",
    );
    text
}

/// Stored bits for a key that are shown.
const MAX_BITS: f64 = 26.0;

/// What one of the charts shows.
struct Drawing<'a> {
    title: &'a str,
    note: &'a str,
    /// Titles of the panels, and the rows of each.
    columns: Vec<(String, Vec<&'a Rate>)>,
    x_title: &'a str,
    x: Axis,
    y_tick: fn(f64) -> String,
    place: fn(&Rate) -> (f64, f64),
    /// The value at a line's end.
    value: fn(&Rate) -> String,
    /// Ends of the upright axis: of functions, and of filters. A poor function leaves its panel at the top.
    y_ends: [(f64, f64); 2],
    /// Whether the ideal filter is the line at 1, or a line of its own.
    is_over_ideal: bool,
}

/// The rate over the ideal one against the number of keys.
fn by_keys(rows: &[Rate]) -> Option<Scene> {
    let sizes = distinct(rows.iter().map(|row| row.keys));
    let columns = FEW_BITS.map(|bits| {
        let of = rows.iter().filter(|row| row.bits_per_key == bits).collect();
        (format!("{bits} bits per key"), of)
    });
    let drawing = Drawing {
        title: "Real filters: false positives over an ideal filter's, by the number of keys",
        note: "measured with absent keys; 1: an ideal hash and independent probes in the same bits; of Ribbon, cuckoo and \
               growing filters: the best ideal filter of these bits per key",
        columns: columns.into(),
        x_title: "keys of a filter (log scale)",
        x: Axis {
            scale: Scale::log(*sizes.first()? as f64, *sizes.last()? as f64),
            tick: number::tick,
        },
        y_tick: |value| format!("{}×", number::tick(value)),
        place: |row| (row.keys as f64, row.rate / row.ideal),
        value: |row| format!("{}×", number::significant(row.rate / row.ideal, 3)),
        // Of functions hardly any ratio is below 1: only where keys are so regular that a simple hash spreads them evenly.
        y_ends: [(0.3, 200.0), (0.1, 200.0)],
        is_over_ideal: true,
    };
    Some(drawing.scene())
}

/// The rate against the bits stored for a key; nothing where no size was measured at more than a few.
fn by_bits(rows: &[Rate]) -> Option<Scene> {
    let swept = rows.iter().filter(|row| !FEW_BITS.contains(&row.bits_per_key));
    let sizes = distinct(swept.map(|row| row.keys));
    let columns = sizes.iter().take(3).map(|&keys| {
        let of = rows.iter().filter(|row| row.keys == keys).collect();
        (format!("{} keys", grouped(keys)), of)
    });
    let drawing = Drawing {
        title: "Real filters: false positives by the bits stored for a key",
        note: "measured with absent keys, log scale; the whole stored filter counts",
        columns: columns.collect(),
        x_title: "bits stored for a key",
        x: Axis {
            scale: Scale::linear(MAX_BITS),
            tick: number::tick,
        },
        y_tick: number::percent_tick,
        place: |row| (row.stored_bits_per_key(), row.rate),
        value: |row| percent(row.rate),
        y_ends: [(1e-6, 1.0); 2],
        is_over_ideal: false,
    };
    (!sizes.is_empty()).then(|| drawing.scene())
}

/// Two digits: of the lowest rates more is chance.
fn percent(share: f64) -> String {
    format!("{} %", number::significant(share * 100.0, 2))
}

impl Drawing<'_> {
    /// Functions in LevelDB's scheme above, policies and filters below, panels side by side.
    fn scene(&self) -> Scene {
        type Group = (&'static str, fn(&Rate) -> bool);
        let groups: [Group; 2] = [
            ("Hash functions in LevelDB's scheme", |row| {
                row.scheme == Scheme::Leveldb
            }),
            ("Policies and filters, each with its own hash", |row| {
                row.scheme != Scheme::Leveldb || row.series == "BloomFilter2"
            }),
        ];
        let rows = groups
            .into_iter()
            .zip(self.y_ends)
            .map(|((title, holds), (low, high))| PlotRow {
                title,
                plots: (self.columns.iter())
                    .map(|(title, rows)| Plot {
                        title: title.clone(),
                        x: self.x,
                        y: Axis {
                            scale: Scale::log(low, high),
                            tick: self.y_tick,
                        },
                        x_title: self.x_title,
                        reference: self.is_over_ideal.then(|| (1.0, String::new())),
                        series: self.series(rows, holds),
                        ..Plot::default()
                    })
                    .collect(),
            });
        let sheet = Sheet {
            description: self.title,
            title: self.title,
            note: self.note,
            width: 1080.0,
            height: 290.0,
            names: 236.0,
            shared: true,
            rows: rows.collect(),
            ..Sheet::default()
        };
        sheet.scene()
    }

    /// The lines of a panel, in the order of the records.
    fn series(&self, rows: &[&Rate], holds: fn(&Rate) -> bool) -> Vec<Series> {
        let mut lines = Vec::new();
        if !self.is_over_ideal {
            let mut of: Vec<&&Rate> = rows.iter().filter(|row| row.scheme == Scheme::Ideal).collect();
            of.sort_by(|a, b| a.bytes.total_cmp(&b.bytes));
            let points = of.iter().map(|row| (row.stored_bits_per_key(), row.ideal));
            let last = of.last().map_or_else(String::new, |row| percent(row.ideal));
            lines.push(Series {
                marks: Marks::None,
                ..Series::new(format!("ideal filter: {last}"), INK, points)
            });
        }
        // In all panels the same lines in the same colours.
        let mut firsts: Vec<&Rate> = Vec::new();
        for row in self
            .columns
            .iter()
            .flat_map(|(_, rows)| rows)
            .filter(|row| holds(row))
        {
            if firsts.iter().all(|first| first.name() != row.name()) {
                firsts.push(row);
            }
        }
        // The second round through the colours has hollow marks.
        let mut colors = (0..).map(|index| (PALETTE[index % PALETTE.len()], index >= PALETTE.len()));
        for first in firsts {
            let (color, is_hollow) = match (first.series == IDEAL, first.scheme) {
                (true, Scheme::Leveldb) => (INK, true),
                (true, _) if self.is_over_ideal => (INK, false),
                // Drawn already.
                (true, _) => continue,
                (false, _) => colors.next().unwrap_or((INK, false)),
            };
            let name = first.name();
            let mut of: Vec<&&Rate> = rows
                .iter()
                .filter(|row| holds(row) && row.name() == name)
                .collect();
            of.retain(|row| (self.place)(row).1 > 0.0 && (self.place)(row).0 <= self.x.scale.ends().1);
            of.sort_by(|a, b| (self.place)(a).0.total_cmp(&(self.place)(b).0));
            let Some(last) = of.last() else { continue };
            lines.push(Series {
                marks: if is_hollow { Marks::Hollow } else { Marks::Dots },
                ..Series::new(
                    format!("{name}: {}", (self.value)(last)),
                    color,
                    of.iter().map(|row| (self.place)(row)),
                )
            });
        }
        lines
    }
}
