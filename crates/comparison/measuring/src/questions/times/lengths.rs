//! Time against the length of a key.
//!
//! Real keys vary in length, and for short keys a branch misprediction costs more than the function: the times of
//! whole sets include that cost. Here every key of a reading has the same length, so branches are predicted, and only the
//! function's own work is left: the cost of a call, and of each byte.
use rand::Rng as _;
use rand_xoshiro::SplitMix64;

use super::{FORMS, TimingRow};
use crate::clock::{Batch, Workload};
use crate::functions::POLICY_HASH;
use crate::questions::Records;
use crate::questions::on_dataset::DatasetRows;
use crate::questions::tables::{Cell, Table};
use crate::record::{CallForm, DatasetSummary, EMPTY, FunctionGroup, FunctionSummary, Place, of};
use plots::mark::Mark;
use plots::scale::Scale;
use plots::scene::Scene;
use plots::xy::{Axis, Plot, Series, Sheet};
use terminal::number;

/// Every length up to here is timed.
const EACH_UP_TO: usize = 64;
/// Lengths beyond [`EACH_UP_TO`]: powers of two, and half-way between.
const BEYOND: [usize; 20] = [
    96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12_288, 16_384, 24_576,
    32_768, 49_152, 65_536,
];
/// Lengths of a quick run: a few, around those where functions change their code paths.
const QUICK: [usize; 17] = [
    0, 1, 3, 4, 7, 8, 12, 16, 20, 24, 32, 64, 128, 256, 1024, 8192, 65_536,
];
/// Lengths of which the page has a table, as far as they are timed.
const IN_TABLE: [u64; 13] = [4, 8, 12, 16, 20, 24, 32, 48, 64, 128, 256, 1024, 8192];

const ROUNDS: usize = 9;
const QUICK_ROUNDS: usize = 3;

/// Bytes of the keys of one reading, unless a single key is longer; this fits into any first-level cache.
const BYTES_OF_KEYS: usize = 16 << 10;
/// The most keys of one reading.
const KEYS: usize = 256;
/// Target time of one reading, for a typical 8 ns per call and 1 ns per byte. Reading a clock takes some 20 ns.
const READING_NS: usize = 40_000;

/// Returns random keys of each length.
pub(super) fn workloads(quick: bool, generator: &mut SplitMix64) -> Vec<Workload<'static>> {
    let (lengths, rounds) = if quick {
        (QUICK.to_vec(), QUICK_ROUNDS)
    } else {
        ((0..=EACH_UP_TO).chain(BEYOND).collect(), ROUNDS)
    };
    let workloads = lengths.into_iter().map(|length| Workload {
        dataset: "",
        place: Place::Length,
        batch: batch(length, generator),
        rounds,
    });
    workloads.collect()
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

/// Returns how long a call of one's own function takes at least, as a sentence; `None` for other functions.
pub fn of_empty_keys(records: &Records, function: &FunctionSummary) -> Option<String> {
    let form = records.run.request.purpose.form();
    let [own, floor] = [&*function.name, EMPTY].map(|name| {
        let mut rows = of(&records.timing, name).filter(|row| row.form == form && row.length() == Some(0));
        Some(number::significant(rows.next()?.median_ns_per_key, 2))
    });
    let (name, own, floor) = (&function.name, own?, floor?);
    (function.group == FunctionGroup::Own).then(|| {
        format!("A call of {name} with an empty key takes {own} ns, one of an empty function {floor} ns.")
    })
}

/// Border in bytes between the plots of short and of long keys; both include it.
const BORDER: u64 = 64;

/// Draws the chart; `None` without times by length.
pub(super) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    data.records.timing.iter().find_map(TimingRow::length)?;
    let dataset = &data.summary.name;
    let row = |long: bool| -> Vec<Plot<'_>> {
        let plots = FORMS.iter().filter_map(|(form, _)| plot(data, *form, long));
        plots.collect()
    };
    let sheet = Sheet {
        description: &format!("Nanoseconds by key length; best functions for {dataset} named"),
        title: &format!("{dataset}: time by length"),
        width: 1100.0,
        height: 240.0,
        names: 184.0,
        heads: &FORMS.map(|(_, words)| words),
        rows: vec![row(false), row(true)],
    };
    Some(sheet.scene())
}

/// Returns the named functions: the best for these keys and the use of the request, best first, the function in use today or, if
/// unknown, the filter's own, and the empty function.
fn named<'a>(data: &DatasetRows<'a>) -> Vec<(Mark, &'a str)> {
    let best = data.rows(&data.records.advice).map(|one| one.function.as_str());
    let [best_marks @ .., last] = Mark::LINES;
    let mut named: Vec<(Mark, &str)> = best_marks.into_iter().zip(best).collect();
    let mine = data.records.run.request.mine.as_deref().unwrap_or(POLICY_HASH);
    let mine = data.findings.iter().find(|finding| finding.function == mine);
    if let Some(mine) = mine.filter(|mine| named.iter().all(|(_, name)| *name != mine.function)) {
        named.push((last, &mine.function));
    }
    named.push((Mark::Neutral, EMPTY));
    named
}

/// Builds the table of times by length, best function first; none without times.
pub(super) fn tables(data: &DatasetRows<'_>) -> Vec<Table> {
    let timed = |function: &str, length| {
        let rows = of(&data.records.timing, function).filter(|row| row.length() == Some(length));
        let [overlapped, chained] = rows.collect::<Vec<_>>()[..] else {
            return Cell::Empty;
        };
        Cell::As(
            overlapped.median_ns_per_key,
            super::numbers([Some(overlapped), Some(chained)]),
        )
    };
    let lengths = IN_TABLE
        .into_iter()
        .filter(|length| !matches!(timed(EMPTY, *length), Cell::Empty));
    let lengths: Vec<u64> = lengths.collect();
    let advice = data.rows(&data.records.advice).map(|one| one.function.as_str());
    let row = |function| {
        let cells = lengths.iter().map(|length| timed(function, *length));
        (function, cells.collect())
    };
    let heads = lengths
        .iter()
        .map(|length| format!("{} bytes", number::grouped(*length)));
    let caption = "ns per key by length: calls overlap, each call waits";
    let rows = advice.chain([EMPTY]).map(row);
    let table = Table::named(caption, "Function", heads, rows);
    Vec::from_iter((!lengths.is_empty()).then_some(table))
}

/// Returns the points of the fastest, the median and the slowest of other functions at each length, given length and time.
fn others(mut timed: Vec<(f64, f64)>) -> [Vec<(f64, f64)>; 3] {
    timed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let lengths = || timed.chunk_by(|one, next| one.0 == next.0);
    [0, 1, 2].map(|half| {
        lengths()
            .map(|times| times[(times.len() - 1) * half / 2])
            .collect()
    })
}

/// Returns the part of an axis that covers the lengths of the dataset's keys, or `None` if no length is on it. Keys of
/// a single length get a visible stripe.
fn shaded(summary: &DatasetSummary, x: Scale, long: bool) -> Option<(f64, f64)> {
    let (least, most) = (summary.min_len as f64, summary.max_len as f64);
    if least > x.high || most < x.low || (long && most <= BORDER as f64) {
        return None;
    }
    let least = least.max(x.low);
    Some((least, most.max(least * 1.02).min(x.high)))
}

/// Builds one of the four plots; `None` without lengths for it. Time is shown by call for short keys and by byte for long
/// ones, so that functions which differ by a tenth have different places on the axis.
fn plot<'a>(data: &DatasetRows<'a>, form: CallForm, long: bool) -> Option<Plot<'a>> {
    let of_form = data.records.timing.iter().filter(|row| row.form == form);
    // Keys of no bytes have no place on a logarithmic axis, and no time by byte; nor has the empty function.
    let timed = of_form.filter_map(|row| {
        let length = row.length()?;
        let (part, time) = if long {
            (BORDER..=u64::MAX, row.median_ns_per_key / length as f64)
        } else {
            (1..=BORDER, row.median_ns_per_key)
        };
        let is_shown = part.contains(&length) && !(long && row.function == EMPTY);
        is_shown.then_some((row.function.as_str(), length as f64, time))
    });
    let mut timed: Vec<(&str, f64, f64)> = timed.collect();
    timed.sort_by(|a, b| a.1.total_cmp(&b.1));
    let x = Scale::new(timed.first()?.1, timed.last()?.1);
    let named = named(data);
    let place = |function: &str| named.iter().position(|(_, name)| *name == function);
    let of_others = timed.iter().filter(|(function, ..)| place(function).is_none());
    let others = others(of_others.map(|&(_, length, time)| (length, time)).collect());
    let others = others.map(|points| Series {
        name: "",
        label: None,
        points,
    });
    let of_named = named.iter().filter_map(|&(mark, function)| {
        let of_function = timed.iter().filter(|(name, ..)| *name == function);
        let points: Vec<(f64, f64)> = of_function.map(|&(_, length, time)| (length, time)).collect();
        let end = points.last()?.1;
        let name = if function == EMPTY {
            "empty function"
        } else {
            function
        };
        Some(Series {
            name,
            label: Some((mark, number::significant(end, 3))),
            points,
        })
    });
    // Named lines are painted over all others.
    let series: Vec<Series<'_>> = others.into_iter().chain(of_named).collect();
    let of_named = series[3..].iter().flat_map(|one| &one.points);
    let y = Scale::of(timed.iter().map(|(.., time)| *time)).reaching(of_named.map(|(_, time)| *time));
    Some(Plot {
        title: if long {
            "ns per byte (log)"
        } else {
            "ns per call (log)"
        },
        x: Axis {
            scale: x,
            tick: |value| match value as u64 {
                bytes @ 0..1000 => bytes.to_string(),
                bytes => format!("{}k", number::grouped(bytes / 1000)),
            },
        },
        y: Axis::new(y, number::tick),
        x_title: "bytes (log)",
        shade: shaded(data.summary, x, long),
        series,
    })
}
