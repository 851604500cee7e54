//! False-positive rates of every policy and filter, compared with an ideal filter's, by bits per key and by the number
//! of keys. No time is measured: the program writes rows instead of batches.

use plots::scale::Scale;
use plots::scene::{INK, PALETTE, Scene};
use plots::xy::{Axis, Marks, Plot, Row as PlotRow, Series, Sheet};
use records::number;
use records::number::grouped;
use serde::{Deserialize, Serialize};

use crate::bars::distinct;
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
    /// The mapping of a hash value to a filter's bits.
    Scheme {
        /// LevelDB's: a 32-bit hash; each probe adds the hash rotated by 17 bits.
        Leveldb = "LevelDB's",
        /// A 64-bit ideal hash with independent probes; no stored format has this scheme.
        Ideal = "ideal",
        /// The scheme of `BloomFilter64.Xxph3`.
        Bloom64 = "BloomFilter64",
        /// RocksDB's 64-byte lines.
        FastLocalBloom = "FastLocalBloom",
        /// RocksDB's filter up to format version 4.
        LegacyFull = "legacy full filter",
        /// RocksDB's Ribbon.
        Ribbon = "Ribbon",
        /// Guava's `MURMUR128_MITZ_64`.
        GuavaMitz64 = "Guava, MITZ_64",
        /// Guava's `MURMUR128_MITZ_32`.
        GuavaMitz32 = "Guava, MITZ_32",
        /// Guava's scheme with counters of four bits.
        Counting = "counting",
        /// Fingerprints in buckets.
        Cuckoo = "cuckoo",
        /// A chain of Guava's filters, the first sized for a tenth of the keys.
        Growing = "growing",
    }
}

words! {
    /// The form of the keys.
    KeyForm {
        /// Outputs of SplitMix64 in decimal, 1 to 20 digits and mostly 19 or 20, as in the dataset `random-strings`.
        /// The generator returns each number once in its period of 2^64.
        RandomDecimals = "random decimals",
        /// Consecutive numbers from 0, with sixteen digits each.
        NumbersInARow = "numbers in a row",
    }
}

/// A row of `rates.csv`, for one series, size and number of bits per key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Name of the policy or the filter, or of the hash function in LevelDB's scheme.
    pub series: String,
    /// The mapping to bits.
    pub scheme: Scheme,
    /// The form of the keys.
    pub key_form: KeyForm,

    /// The configured bits per key. Filters that are sized by a rate get the lowest rate that b bits allow, e^(-b (ln
    /// 2)^2).
    pub bits_per_key: u32,
    /// Keys of a filter.
    pub keys: u64,
    /// Number of filters built, each from its own keys.
    pub filters: u64,
    /// Queries for absent keys, over all filters.
    pub probes: u64,
    /// Number of those queries that matched.
    pub false_positives: u64,
    /// The share of false positives.
    #[serde(with = "statistics::significant")]
    pub rate: f64,
    /// Lower end of its interval, see [`INTERVAL_LEVEL`](crate::INTERVAL_LEVEL).
    #[serde(with = "statistics::significant")]
    pub ci_low: f64,
    /// Upper end of that interval.
    #[serde(with = "statistics::significant")]
    pub ci_high: f64,
    /// The exact rate of an ideal Bloom filter with the same bits, probes and keys: an ideal hash and independent
    /// probes. Ribbon, cuckoo and growing filters, which are not one probed array, are compared with the best ideal
    /// Bloom filter of `bits_per_key`.
    #[serde(with = "statistics::significant")]
    pub ideal: f64,
    /// The rate by the filter's own formula: for policies [`filter_formats::sizing::Format::rate`]; for a growing filter
    /// its requested rate, an upper bound; for Guava's, the counting and the legacy filter the ideal rate.
    #[serde(with = "statistics::significant")]
    pub expected: f64,
    /// Mean bytes of a stored filter.
    #[serde(with = "statistics::significant")]
    pub bytes: f64,
}

impl Rate {
    /// Returns the stored bits per key.
    pub fn stored_bits_per_key(&self) -> f64 {
        self.bytes * 8.0 / self.keys as f64
    }

    /// Returns the display text of the series and its keys.
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

/// Formats a table for each of [`FEW_BITS`]: rates divided by the ideal rate, by size.
fn summary(rows: &[Rate]) -> String {
    let sizes = distinct(rows.iter().map(|row| row.keys));
    // The number of sizes that fits into a line, including the largest.
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

/// The most stored bits per key in the chart.
const MAX_BITS: f64 = 26.0;

struct Drawing<'a> {
    title: &'a str,
    note: &'a str,
    /// The title and the rows of each panel.
    columns: Vec<(String, Vec<&'a Rate>)>,
    x_title: &'a str,
    x: Axis,
    y_tick: fn(f64) -> String,
    place: fn(&Rate) -> (f64, f64),
    /// The value at a line's end.
    value: fn(&Rate) -> String,
    /// Ends of the y axis for functions and for filters. A poor function leaves its panel at the top.
    y_ends: [(f64, f64); 2],
    /// Set if the ideal filter is the line at 1 instead of a separate line.
    is_over_ideal: bool,
}

/// Draws the rate relative to the ideal rate against the number of keys.
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
        // Functions rarely have a ratio below 1: only if a simple hash spreads very regular keys evenly.
        y_ends: [(0.3, 200.0), (0.1, 200.0)],
        is_over_ideal: true,
    };
    Some(drawing.scene())
}

/// Draws the rate against the stored bits per key; `None` if every size was measured only at [`FEW_BITS`].
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

/// Formats a share with two digits; more digits of the lowest rates are noise.
fn percent(share: f64) -> String {
    format!("{} %", number::significant(share * 100.0, 2))
}

impl Drawing<'_> {
    /// Draws functions in LevelDB's scheme above, policies and filters below.
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

    /// Returns the lines of a panel, in the order of the records.
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
        // All panels have the same lines in the same colours.
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
        // Colours that are used again have hollow marks.
        let mut colors = (0..).map(|index| (PALETTE[index % PALETTE.len()], index >= PALETTE.len()));
        for first in firsts {
            let (color, is_hollow) = match (first.series == IDEAL, first.scheme) {
                (true, Scheme::Leveldb) => (INK, true),
                (true, _) if self.is_over_ideal => (INK, false),
                // Already drawn.
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
