//! Memory per key of filters and sets against their false-positive rate. No time is measured.

use plots::scale::Scale;
use plots::scene::{MUTED, PALETTE, Scene};
use plots::xy::{Axis, Marks, Plot, Row as PlotRow, Series, Sheet};
use records::number;
use records::number::grouped;
use serde::{Deserialize, Serialize};
use statistics::{binomial, significant};

use crate::folder::Format;
use crate::rounds::INTERVAL_LEVEL;
use crate::suite::Suite;
use crate::summary::tables;
use crate::words::words;

words! {
    /// A structure that takes part.
    Structure {
        /// Guava's Bloom filter.
        Bloom = "Bloom",
        /// Guava's Bloom filter, shared by threads.
        ConcurrentBloom = "concurrent Bloom",
        /// The counting Bloom filter, with counters of 4 bits.
        Counting = "counting Bloom, 4 bits",
        /// The cuckoo filter.
        Cuckoo = "cuckoo",
        /// The growing filter, at first sized for a tenth of the keys.
        Growing = "growing, from a tenth",
        /// The blocked filter.
        Blocked = "blocked",
        /// `HashSet<u64>`.
        HashSetU64 = "HashSet<u64>",
        /// `HashSet<String>`.
        HashSetString = "HashSet<String>",
    }
}

impl Structure {
    /// Returns true if the structure has no false positives.
    pub fn is_exact(self) -> bool {
        matches!(self, Self::HashSetU64 | Self::HashSetString)
    }
}

/// A row of `batches.csv`: the measurements of a structure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The structure.
    pub structure: Structure,
    /// Requested false-positive probability; none for sets.
    pub asked_rate: Option<f64>,
    /// Number of keys.
    pub keys: u64,
    /// Bytes that the structure reports; none for sets.
    pub reported_bytes: Option<u64>,
    /// Bytes that it holds from the allocator.
    pub allocated_bytes: u64,
    /// Most bytes held during construction.
    pub peak_bytes: u64,
    /// Number of absent keys queried.
    pub absent: u64,
    /// Number of absent keys reported as present.
    pub false_positives: u64,
}

/// A row of `memory.csv`: bits per key and false-positive rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// The structure.
    pub structure: Structure,
    /// Requested false-positive probability; none for sets.
    pub asked_rate: Option<f64>,
    /// Number of keys.
    pub keys: u64,
    /// Bits per key that the structure reports; none for sets.
    pub reported_bits_per_key: Option<f64>,
    /// Bits per key that it holds from the allocator.
    #[serde(with = "significant")]
    pub allocated_bits_per_key: f64,
    /// Most bits per key held during construction.
    #[serde(with = "significant")]
    pub peak_bits_per_key: f64,
    /// Number of absent keys queried.
    pub absent: u64,
    /// Number of absent keys reported as present.
    pub false_positives: u64,
    /// The share of false positives.
    #[serde(with = "significant")]
    pub rate: f64,
    /// Lower end of its interval, see [`INTERVAL_LEVEL`].
    #[serde(with = "significant")]
    pub rate_low: f64,
    /// Upper end of that interval.
    #[serde(with = "significant")]
    pub rate_high: f64,
    /// The fewest bits per key that can reach this rate: log2(1 / rate). None without a false positive.
    pub bound_bits_per_key: Option<f64>,
}

impl From<&Measurement> for Memory {
    fn from(of: &Measurement) -> Self {
        let bits = |bytes: u64| bytes as f64 * 8.0 / of.keys as f64;
        let rate = of.false_positives as f64 / of.absent as f64;
        let (rate_low, rate_high) =
            binomial::proportion_interval(of.false_positives, of.absent, INTERVAL_LEVEL);
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
pub const SUITE: Suite<Measurement, Memory> = Suite::new(
    Format::new("memory-bench", 1, "memory"),
    |measurements| Ok(measurements.iter().map(Memory::from).collect()),
    &[("memory", chart)],
    summary,
);

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

/// Draws bits per key against the rate, the lowest rate at the right; `None` if no filter had a false positive, because
/// a logarithmic axis has no zero.
fn chart(rows: &[Memory]) -> Option<Scene> {
    // Structures with equal points share a line.
    let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for &structure in Structure::ALL.iter().filter(|structure| !structure.is_exact()) {
        let of = rows
            .iter()
            .filter(|row| row.structure == structure && row.rate > 0.0);
        // The x value is the number of absent keys per false positive.
        let mut points: Vec<(f64, f64)> = of
            .map(|row| (1.0 / row.rate, row.allocated_bits_per_key))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        match lines.iter_mut().find(|(_, others)| *others == points) {
            _ if points.is_empty() => {}
            Some((name, _)) => *name = format!("{name}, {}", structure.words()),
            None => lines.push((structure.words().to_owned(), points)),
        }
    }
    let points = || lines.iter().flat_map(|(_, points)| points);
    let (least, most) = (
        points().map(|point| point.0).reduce(f64::min)?,
        points().map(|point| point.0).reduce(f64::max)?,
    );
    let (from, to) = ((least / BESIDE).max(1.0), most * BESIDE);
    let bound = [from, to].map(|one_in| (one_in, libm::log2(one_in)));
    let mut series = vec![Series {
        marks: Marks::None,
        ..Series::new("log2(1 / rate): the least there can be", MUTED, bound)
    }];
    series.extend(
        lines
            .iter()
            .zip(PALETTE.into_iter().cycle())
            .map(|((name, points), color)| {
                let bits = points
                    .last()
                    .map_or_else(String::new, |(_, bits)| number::significant(*bits, 3));
                Series::new(format!("{name}: {bits}"), color, points.iter().copied())
            }),
    );
    let highest = points().map(|point| point.1).fold(0.0, f64::max);
    let plot = Plot {
        x: Axis {
            scale: Scale::log(from, to),
            tick: |one_in| number::percent_tick(1.0 / one_in),
        },
        y: Axis {
            scale: Scale::linear(highest * 1.06),
            tick: number::tick,
        },
        x_title: "absent keys that are said to be in, measured (log scale)",
        shade: vec![bound[0], bound[1], (to, 0.0), (from, 0.0)],
        series,
        ..Plot::default()
    };
    let sets = rows.iter().filter(|row| row.structure.is_exact()).map(|row| {
        let bits = number::significant(row.allocated_bits_per_key, 3);
        format!("{} {bits}", row.structure.words())
    });
    let sets = sets.collect::<Vec<_>>().join(", ");
    let sheet = Sheet {
        description: "Bits for each key of filters against their rate of false positives",
        title: &format!(
            "Memory against rate: {} phone numbers, measured",
            grouped(rows.first()?.keys)
        ),
        note: &format!("bits of memory for each key; sets, which are never wrong, take {sets}"),
        names: 236.0,
        rows: vec![PlotRow {
            plots: vec![plot],
            ..PlotRow::default()
        }],
        ..Sheet::default()
    };
    Some(sheet.scene())
}

/// Room around the outermost marks, as a factor.
const BESIDE: f64 = 1.25;
