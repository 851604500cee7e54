//! Time per key: of whole key sets, of a sample in the cache and out of it, and of keys of one length.
//!
//! All rows are of one type and measured in one way: functions and forms of calls are interleaved, in rounds of newly
//! shuffled order.

mod lengths;
pub mod places;

use rand::Rng as _;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng as _;

pub use self::lengths::of_empty_keys;
use super::on_dataset::DatasetRows;
use super::tables::Cell;
use super::{ChartKind, Measure, Of, Question, Records, Section};
use crate::clock::{Batch, Readings, Workload, read_all, subjects};
use crate::functions::Function;
use crate::keys::Dataset;
use crate::record::{CallForm, Place, rows, significant};
use plots::dots::Dot;
use plots::mark::Mark;
use statistics::robust::{median, median_absolute_deviation};
use terminal::failure::Failure;
use terminal::number;
use terminal::progress::Progress;

rows! {
    /// A row of `timing.csv`.
    pub struct TimingRow: TIMED [dataset] {
        /// The place of the keys.
        pub place: Place,
        /// The form of the calls.
        pub form: CallForm,
        /// Keys in one batch.
        pub keys: u64,
        /// Size of the buffer that holds the keys, bytes.
        pub bytes: u64,
        /// Median over the rounds, the cost of the loop included.
        pub median_ns_per_key: f64,
        /// Median absolute deviation from that median.
        pub mad_ns_per_key: f64,
        /// The fastest round, if it was recorded.
        pub fastest_ns_per_key: Option<f64>,
        /// Number of rounds.
        pub samples: u64,
    }
}

impl TimingRow {
    /// Returns true for times of calls of this form on keys in this place.
    pub fn is(&self, place: Place, form: CallForm) -> bool {
        (self.place, self.form) == (place, form)
    }

    /// Returns the mark of the median, with the range of half of the rounds: those within the median absolute deviation.
    pub fn dot(&self, mark: Mark, is_filled: bool) -> Dot {
        let (median, mad) = (self.median_ns_per_key, self.mad_ns_per_key);
        Dot::new(median, (median - mad, median + mad), mark, is_filled)
    }
}

impl<'a> DatasetRows<'a> {
    /// Returns the time of calls of `function` on the whole dataset.
    pub fn time(&self, function: &str, form: CallForm) -> Option<&'a TimingRow> {
        let mut rows = self.about(&self.records.timing, function);
        rows.find(|row| row.is(Place::Sequence, form))
    }
}

/// The forms of calls, with their words in charts.
const FORMS: [(CallForm, &str); 2] = [
    (CallForm::Independent, "independent calls overlap"),
    (CallForm::Chained, "chained: each call waits for the previous one"),
];

/// Returns the medians of a chart's row as text.
pub fn numbers(rows: [Option<&TimingRow>; 2]) -> String {
    let rows = rows.iter().flatten();
    let texts: Vec<String> = rows
        .map(|row| number::significant(row.median_ns_per_key, 3))
        .collect();
    texts.join(", ")
}

pub(super) const QUESTION: Question = Question {
    measure: Measure::Times(measure),
    columns: |data, function| {
        let time = |place, form| {
            let mut rows = data.about(&data.records.timing, function);
            rows.find(|row| row.is(place, form))
        };
        let ns = |place, form| {
            let row = time(place, form);
            row.map(|row| Cell::digits(row.median_ns_per_key)).into()
        };
        let row = time(Place::Sequence, CallForm::Independent);
        let all = row.map(|row| row.median_ns_per_key * data.summary.keys as f64);
        vec![
            ("All keys", all.map(|ns| Cell::As(ns, duration(ns))).into()),
            ("ns per key", ns(Place::Sequence, CallForm::Independent)),
            (
                "± (half of the rounds)",
                row.map(|row| Cell::digits(row.mad_ns_per_key)).into(),
            ),
            ("Chained, ns per key", ns(Place::Sequence, CallForm::Chained)),
            (
                "Out of the cache, ns per key",
                ns(Place::Memory, CallForm::Independent),
            ),
            ("Out of the cache, chained", ns(Place::Memory, CallForm::Chained)),
        ]
    },
    sections: &[Section {
        title: "Time by length, in and out of the cache",
        id: None,
        text: "Left: calls overlap. Right: each call waits for the previous one. Named lines: the best functions for these keys, \
               and the function in use today, else MurMurHash2. Grey lines: the fastest, the median and the slowest of all \
               others. Shaded: the lengths of these keys. Table: ns per key of every function, calls overlap and each call waits.",
        folded: false,
        charts: &[
            ChartKind::new("curves", Of::Dataset(lengths::scene)),
            ChartKind::new("places", Of::Dataset(places::scene)),
        ],
        tables: Of::Dataset(lengths::tables),
    }],
    ..Question::NONE
};

/// Formats nanoseconds in the largest unit that leaves a whole part.
fn duration(ns: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    let unit = units.into_iter().find(|(unit, _)| ns >= *unit);
    let (unit, name) = unit.unwrap_or((1.0, "ns"));
    format!("{} {name}", number::significant(ns / unit, 3))
}

/// Times every function and the empty function: on every dataset, on random keys of each length, and on a sample of each
/// dataset in both places. Rows are by keys, then by function in the order given, the empty function first, then by form.
///
/// The seed fixes the order of keys and readings; a quick run takes fewer rounds. The caller must not have started threads.
fn measure(
    datasets: &[Dataset],
    functions: &[&Function],
    progress: &dyn Progress,
    records: &mut Records,
) -> Result<(), Failure> {
    let quick = records.run.quick;
    let mut generator = SplitMix64::seed_from_u64(records.run.seed);
    let subjects = subjects(functions);
    let mut read = |workloads: Vec<Workload<'_>>, generator: &mut SplitMix64| {
        let tables = read_all(workloads, &subjects, generator, progress)?;
        records.timing.extend(tables.iter().flat_map(rows));
        Ok::<_, Failure>(())
    };
    let steps = |workloads: &[Workload<'_>]| workloads.iter().map(|one| one.rounds as u64 + 1).sum();

    let sequence = |dataset| sequence(dataset, generator.next_u64(), quick);
    let workloads: Vec<Workload<'_>> = datasets.iter().map(sequence).collect();
    progress.begin("timing", steps(&workloads));
    read(workloads, &mut generator)?;

    let workloads = lengths::workloads(quick, &mut generator);
    progress.begin("timing lengths", steps(&workloads));
    read(workloads, &mut generator)?;

    progress.begin(
        "timing cache and memory",
        datasets.len() as u64 * places::steps(quick),
    );
    for dataset in datasets {
        let workloads = places::workloads(dataset, generator.next_u64(), quick);
        read(workloads.into(), &mut generator)?;
    }
    Ok(())
}

fn sequence(dataset: &Dataset, seed: u64, quick: bool) -> Workload<'_> {
    let parts = if quick { QUICK_ROUNDS } else { PARTS };
    let batch = Batch::new(&dataset.keys, seed).in_parts(parts);
    Workload {
        dataset: &dataset.summary.name,
        place: Place::Sequence,
        rounds: rounds(batch.calls(), batch.bytes_read(), quick),
        batch,
    }
}

/// Returns the rows of a table, by function and form.
fn rows<'a>(table: &'a Readings<'_>) -> impl Iterator<Item = TimingRow> + use<'a> {
    let Workload {
        dataset,
        place,
        ref batch,
        ..
    } = table.workload;
    // Copies of a sample are a part each.
    let keys = if place == Place::Memory {
        batch.calls()
    } else {
        batch.keys()
    };
    table.lines.iter().map(move |line| {
        let median = median(&mut line.samples.clone()).unwrap_or(f64::NAN);
        let fastest = line.samples.iter().copied().fold(f64::INFINITY, f64::min);
        TimingRow {
            dataset: dataset.to_owned(),
            function: line.subject.facts.name.clone(),
            place,
            form: line.form,
            keys: keys as u64,
            bytes: batch.bytes() as u64,
            median_ns_per_key: median,
            mad_ns_per_key: median_absolute_deviation(&line.samples, median).unwrap_or(f64::NAN),
            fastest_ns_per_key: Some(significant::round(fastest)),
            samples: line.samples.len() as u64,
        }
    })
}

/// The fewest rounds: with fewer, a single disturbed reading moves the median.
const FEWEST_ROUNDS: usize = 3;
/// Rounds of a quick run, unless readings are long.
const QUICK_ROUNDS: usize = 11;
/// The most parts of a full run: a third of a million keys still exceeds the second-level cache.
const PARTS: usize = 3;

/// Returns the number of readings of each function, from the work of one reading, so that any set takes about as long.
pub fn rounds(calls: usize, bytes: usize, quick: bool) -> usize {
    // A typical function takes some 8 ns per call and 1 ns per byte: 9 ms for a third of a million keys of twenty
    // bytes. In a full run, only keys of about a hundred megabytes come down to the least number.
    let reading_ns = calls.saturating_mul(8).saturating_add(bytes).max(1);
    if quick {
        (60_000_000 / reading_ns).clamp(FEWEST_ROUNDS, QUICK_ROUNDS)
    } else {
        (200_000_000 / reading_ns).clamp(FEWEST_ROUNDS, 61)
    }
}
