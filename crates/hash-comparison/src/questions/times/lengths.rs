//! Time against the length of a key.
//!
//! Real keys vary in length, and for short keys a branch misprediction costs more than the function: the times of
//! whole sets include that cost. Here every key of a reading has the same length, so branches are predicted, and only the
//! function's own work is left: the cost of a call, and of each byte.
use rand::Rng as _;
use rand_xoshiro::SplitMix64;

use super::{Asked, Place, TimingRow};
use crate::clock::Batch;
use crate::questions::on_dataset::{DatasetRows, distinct};
use crate::record::{CallForm, DatasetSummary, EMPTY};
use plots::scale::Scale;
use plots::scene::{BAND, Color, INK, PALETTE, Scene};
use plots::xy::{Axis, Plot, Series, Sheet};
use records::number;

/// Every length up to here is timed.
const EACH_UP_TO: usize = 64;
/// Lengths beyond [`EACH_UP_TO`]: powers of two, and half-way between.
const BEYOND: [usize; 20] = [
    96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12_288, 16_384, 24_576,
    32_768, 49_152, 65_536,
];
/// Lengths of a quick run: a few, around those where functions change their code paths.
const QUICK: [usize; 16] = [0, 1, 3, 4, 7, 8, 12, 16, 24, 32, 64, 128, 256, 1024, 8192, 65_536];

const ROUNDS: usize = 9;
const QUICK_ROUNDS: usize = 3;

/// Bytes of the keys of one reading, unless a single key is longer; this fits into any first-level cache.
const BYTES_OF_KEYS: usize = 16 << 10;
/// The most keys of one reading.
const KEYS: usize = 256;
/// Target time of one reading, for a typical 8 ns per call and 1 ns per byte. Reading a clock takes some 20 ns.
const READING_NS: usize = 40_000;

/// Returns random keys of each length.
pub(super) fn asked(quick: bool, generator: &mut SplitMix64) -> Vec<Asked<'static>> {
    let (lengths, rounds) = if quick {
        (QUICK.to_vec(), QUICK_ROUNDS)
    } else {
        ((0..=EACH_UP_TO).chain(BEYOND).collect(), ROUNDS)
    };
    let asked = lengths.into_iter().map(|length| Asked {
        dataset: "",
        place: Place::Length,
        batch: batch(length, generator),
        rounds,
    });
    asked.collect()
}

/// Draws keys of one length.
fn batch(length: usize, generator: &mut SplitMix64) -> Batch {
    let count = (BYTES_OF_KEYS / length.max(1)).clamp(1, KEYS);
    let mut bytes = vec![0; count * length];
    generator.fill_bytes(&mut bytes);
    let repetitions = (READING_NS / ((8 + length) * count)).max(1);
    Batch::of(
        (0..count).map(|key| &bytes[key * length..][..length]),
        repetitions,
    )
}

impl TimingRow {
    /// Returns the length of the keys, if all have the same.
    fn length(&self) -> Option<u64> {
        (self.place == Place::Length).then(|| self.bytes / self.keys.max(1))
    }
}

/// Border in bytes between short keys (linear axis) and long keys (log axis); both panels include it.
const BORDER: u64 = 64;
/// Maximum number of best functions that are named.
const MAX_BEST: usize = 4;
/// LevelDB's filter hash, which is labelled unless the user has named the function in use today.
const DEFAULT_MINE: &str = "MurMurHash2";

/// Draws the chart; `None` without times by length.
pub(super) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    data.records.timing.iter().find_map(TimingRow::length)?;
    let dataset = &data.summary.name;
    let forms = [
        (CallForm::Independent, "independent calls overlap"),
        (CallForm::Chained, "chained: each call waits for the previous one"),
    ];
    let row = |long: bool| -> Vec<Plot<'_>> {
        let plots = forms.iter().filter_map(|(form, _)| plot(data, *form, long));
        plots.collect()
    };
    let sheet = Sheet {
        description: &format!("Nanoseconds per call by key length; best functions for {dataset} named"),
        title: &format!("{dataset}: time by length"),
        width: 1000.0,
        height: 262.0,
        names: 172.0,
        heads: &forms.map(|(_, words)| words),
        rows: [false, true]
            .map(row)
            .into_iter()
            .filter(|row| !row.is_empty())
            .collect(),
    };
    Some(sheet.scene())
}

/// Returns the best functions for these keys, followed by the function in use today or, if unknown, the filter's own.
fn named<'a>(data: &DatasetRows<'a>) -> Vec<&'a str> {
    let best = data
        .best_first()
        .into_iter()
        .map(|finding| finding.function.as_str());
    let mut named: Vec<&str> = best.take(MAX_BEST).collect();
    let mine = data.mine().unwrap_or(DEFAULT_MINE);
    let mine = data.findings.iter().find(|finding| finding.function == mine);
    if let Some(mine) = mine.filter(|mine| !named.contains(&mine.function.as_str())) {
        named.push(&mine.function);
    }
    named
}

/// Returns the named functions with their colours. A function keeps its colour from an earlier dataset of the run.
fn with_colors<'a>(data: &DatasetRows<'a>) -> Vec<(&'a str, Color)> {
    let mut before: Vec<(&str, Color)> = Vec::new();
    for other in DatasetRows::all(data.records) {
        let names = named(&other);
        let mut here: Vec<(&str, Color)> = Vec::new();
        let free = |here: &[(&str, Color)], color: Color| here.iter().all(|(_, taken)| *taken != color);
        for &(name, color) in before.iter().filter(|(name, _)| names.contains(name)) {
            if free(&here, color) {
                here.push((name, color));
            }
        }
        for name in &names {
            let known = here.iter().any(|(other, _)| other == name);
            let color = PALETTE.into_iter().find(|color| free(&here, *color));
            here.extend(color.filter(|_| !known).map(|color| (*name, color)));
        }
        if other.summary.name == data.summary.name {
            here.sort_by_key(|(name, _)| names.iter().position(|other| other == name));
            return here;
        }
        here.retain(|(name, _)| before.iter().all(|(other, _)| other != name));
        before.extend(here);
    }
    Vec::new()
}

/// Returns the part of an axis that covers the lengths of the dataset's keys, or `None` if no length is on it. Keys of
/// a single length get a visible stripe.
fn shaded(summary: &DatasetSummary, x: Scale, long: bool) -> Option<(f64, f64)> {
    let (start, end) = (x.low, x.high);
    let (least, most) = (summary.min_len as f64, summary.max_len as f64);
    if least > end || most < start || (long && most <= BORDER as f64) {
        return None;
    }
    let least = least.max(start);
    let stripe = if long {
        least * 1.02
    } else {
        least + (end - start) / 150.0
    };
    Some((least, most.max(stripe).min(end)))
}

/// Builds one of the four panels; `None` without lengths for it.
fn plot(data: &DatasetRows<'_>, form: CallForm, long: bool) -> Option<Plot<'static>> {
    let part = if long { BORDER..=u64::MAX } else { 0..=BORDER };
    let of_form = data.records.timing.iter().filter(|row| row.form == form);
    let rows = of_form.filter_map(|row| Some((row.length().filter(|length| part.contains(length))?, row)));
    let rows: Vec<(u64, &TimingRow)> = rows.collect();
    let points = |name: &str| {
        let of_function = rows.iter().filter(|(_, row)| row.function == name);
        let mut points: Vec<_> = of_function
            .map(|(length, row)| (*length as f64, row.median_ns_per_key))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let named = named(data);
    let longest = rows.iter().map(|(length, _)| *length).max()? as f64;
    let times: Vec<&TimingRow> = rows
        .iter()
        .map(|(_, row)| *row)
        .filter(|row| row.function != EMPTY)
        .collect();
    let ns = times.iter().map(|row| row.median_ns_per_key);
    let slowest = ns.clone().fold(0.0, f64::max);
    let (title, x_title, x, y) = if long {
        let fastest = ns.fold(f64::INFINITY, f64::min).max(0.1);
        let scales = (Scale::log(BORDER as f64, longest), Scale::log(fastest, slowest));
        ("ns per call (log scale)", "bytes (log scale)", scales.0, scales.1)
    } else {
        // Named lines must stay distinguishable; a slow function may leave the panel at the top.
        let of_named = times.iter().filter(|row| named.contains(&row.function.as_str()));
        let slowest_named = of_named.map(|row| row.median_ns_per_key).fold(1.0, f64::max);
        let scales = (
            Scale::linear(BORDER as f64),
            Scale::linear(slowest.min(2.5 * slowest_named)),
        );
        (
            "ns per call",
            "bytes; lowest line: the empty function",
            scales.0,
            scales.1,
        )
    };
    let line = |name: &str, label, color| Series {
        name: label,
        color,
        points: points(name),
    };
    let others = distinct(times.iter().map(|row| row.function.as_str()));
    let others = others.into_iter().filter(|name| !named.contains(name));
    let floor = (!long).then(|| line(EMPTY, String::new(), INK));
    let best = with_colors(data).into_iter().map(|(name, color)| {
        let end = points(name).last().map_or(f64::NAN, |last| last.1);
        line(name, format!("{name} {} ns", number::significant(end, 3)), color)
    });
    Some(Plot {
        title: title.to_owned(),
        x: Axis {
            scale: x,
            tick: |value| number::grouped(value as u64),
        },
        y: Axis {
            scale: y,
            tick: number::tick,
        },
        x_title,
        shade: shaded(data.summary, x, long),
        series: others
            .map(|name| line(name, String::new(), BAND))
            .chain(floor)
            .chain(best)
            .collect(),
    })
}
