//! Time of the same keys in the cache and out of it.
//!
//! A sample of each dataset's keys is timed twice: back to back in a buffer of a few hundred kilobytes, read from start
//! to end; and on cache lines of their own, scattered over a buffer larger than caches, in shuffled order. The second
//! time is the cost for a program whose keys are spread over its heap. It includes cache misses and address-translation
//! misses, which hardly depend on the function: in chained calls, where misses do not overlap, functions hardly differ.
//! In overlapping calls, a function of few instructions lets the processor fetch several keys at once.

use super::{FORMS, TimingRow};
use crate::clock::{Batch, Workload, sample};
use crate::keys::{Dataset, shuffled};
use crate::questions::on_dataset::{DatasetRows, distinct};
use crate::record::{CallForm, EMPTY, Place, of};
use plots::dots::{Axis, DotRow, Dots, Panel};
use plots::key::Sign;
use plots::mark::Mark;
use plots::scale::Scale;
use plots::scene::Scene;
use terminal::number;

/// The most keys of a sample. A branch predictor might learn the order of this many lengths, but the readings of all
/// other functions come in between; and a short reading is seldom interrupted.
pub const KEYS: usize = 2048;
/// The most bytes of a sample, which second-level caches hold. A longer key is cut.
pub const BYTES: usize = 256 << 10;
/// Bytes over which copies of the sample are scattered. Each reading visits other copies, so that no smaller cache
/// holds them.
pub const FOOTPRINT: usize = 128 << 20;
/// Bytes of a cache line.
const LINE: usize = 64;

const ROUNDS: usize = 13;
const QUICK_ROUNDS: usize = 3;

/// Returns the steps of a dataset: the rounds in both places, and those to warm up.
pub(super) fn steps(quick: bool) -> u64 {
    2 * (rounds(quick) as u64 + 1)
}

fn rounds(quick: bool) -> usize {
    if quick { QUICK_ROUNDS } else { ROUNDS }
}

/// Returns a sample of the dataset in both places.
pub(super) fn workloads(dataset: &Dataset, seed: u64, quick: bool) -> [Workload<'_>; 2] {
    let [cache, memory] = both(dataset, seed);
    [(Place::Cache, cache), (Place::Memory, memory)].map(|(place, batch)| Workload {
        dataset: &dataset.summary.name,
        place,
        batch,
        rounds: rounds(quick),
    })
}

/// Returns a sample of the keys back to back, and copies of the sample scattered over [`FOOTPRINT`], a part each.
pub fn both(dataset: &Dataset, seed: u64) -> [Batch; 2] {
    let sample = sample(&dataset.keys, seed, KEYS, BYTES);
    let sample: Vec<&[u8]> = sample.map(|key| &key[..key.len().min(BYTES)]).collect();
    [Batch::of(sample.iter().copied(), 1), scattered(&sample, seed)]
}

fn scattered(sample: &[&[u8]], seed: u64) -> Batch {
    let longest = sample.iter().map(|key| key.len()).max().unwrap_or(0);
    let apart = longest.next_multiple_of(LINE).max(2 * LINE);
    let copies = (FOOTPRINT / apart / sample.len().max(1)).max(1);
    let count = copies * sample.len();
    let mut bytes = vec![0; count * apart];
    let mut spans = vec![(0, 0); count];
    // Written in order of place: the order of visits would miss the cache with every key.
    for (start, visit) in (0..).step_by(apart).zip(shuffled(count as u32, seed)) {
        let key = sample[visit as usize % sample.len()];
        bytes[start..][..key.len()].copy_from_slice(key);
        spans[visit as usize] = (start as u32, (start + key.len()) as u32);
    }
    Batch::placed(bytes, spans, copies)
}

/// Draws the chart; `None` without times of keys in memory.
pub(super) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let measured = data.rows(&data.records.timing);
    let measured: Vec<&TimingRow> = measured.filter(|row| row.place != Place::Sequence).collect();
    let find = |function: &str, place: Place, form: CallForm| {
        of(measured.iter().copied(), function).find(|row| row.is(place, form))
    };
    let memory = measured.iter().find(|row| row.place == Place::Memory)?;
    let mut functions = distinct(measured.iter().map(|row| row.function.as_str()));
    functions.retain(|name| *name != EMPTY && data.is_shown(name));
    let speed = |name: &str| {
        find(name, Place::Memory, CallForm::Independent).map_or(f64::INFINITY, |row| row.median_ns_per_key)
    };
    functions.sort_by(|a, b| speed(a).total_cmp(&speed(b)));
    // The empty function has a row too: it shows the cost of the places themselves.
    functions.push(EMPTY);
    let name = &data.summary.name;
    let scattered = format!(
        "scattered over {} MiB, shuffled",
        number::grouped(memory.bytes >> 20)
    );
    let panels = FORMS.map(|(form, title)| {
        let row = |function: &&str| {
            let [cache, memory] = [Place::Cache, Place::Memory].map(|place| find(function, place, form));
            let dots = (cache.map(|row| row.dot(Mark::Neutral, true)).into_iter())
                .chain(memory.map(|row| row.dot(Mark::Neutral, false)));
            DotRow::new(dots, super::numbers([cache, memory]))
        };
        let times = measured.iter().filter(|row| row.form == form);
        Panel {
            title: title.to_owned(),
            key: Vec::new(),
            axis: Axis::new(Scale::of(times.map(|row| row.median_ns_per_key)), number::tick),
            axis_title: "ns per key, median (log)".to_owned(),
            line: None,
            numbers: ("cache, memory", 84.0),
            rows: functions.iter().map(row).collect(),
        }
    });
    let shown = functions.iter().map(|name| match *name {
        EMPTY => ("empty function", None),
        name => (name, None),
    });
    let chart = Dots {
        description: &format!("{name}: nanoseconds per key, in the cache and scattered over memory"),
        title: &format!("{name}: keys in and out of the cache"),
        key: &[
            (Sign::Filled(Mark::Neutral), "packed, in the cache"),
            (Sign::Hollow(Mark::Neutral), &scattered),
        ],
        width: 1000.0,
        names: shown.collect(),
        is_kept: &|name| data.is_named(name),
        panels: panels.into(),
        notes: &[
            "Lines through the marks, where they are wider than a mark: half of the rounds about the median.",
        ],
    };
    Some(chart.scene())
}
