//! Time per key on whole key sets, in calls that overlap and in calls that wait for each other.

use rand::Rng as _;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng as _;

use super::{Measure, Question, Records, rows};
use crate::clock::{Batch, Line, Table, read_all, subjects};
use crate::functions::Function;
use crate::keys::Dataset;
use crate::record::CallForm;
use records::error::Error;
use records::progress::Progress;
use statistics::robust;

rows! {
    /// A row of `timing.csv` (independent calls) and of `latency.csv` (each call waits for the previous one).
    pub struct TimingRow: TIMED [dataset, function] {
        /// Keys in one batch.
        pub keys: u64,
        /// Bytes in one batch.
        pub bytes: u64,
        /// Median over the rounds, the cost of the loop included.
        pub median_ns_per_key: f64,
        /// Median absolute deviation from that median.
        pub mad_ns_per_key: f64,
        /// Number of rounds.
        pub samples: u64,
    }

    /// A row of `spread.csv`: quartiles of the readings behind a row of `timing.csv` or `latency.csv`, nanoseconds per
    /// key.
    pub struct SpreadRow: TIMED [dataset, function] {
        /// The form of the calls.
        pub form: CallForm,
        /// Number of rounds.
        pub samples: u64,
        /// The fastest reading.
        pub min_ns: f64,
        /// The lower quartile.
        pub q1_ns: f64,
        /// The median.
        pub median_ns: f64,
        /// The upper quartile.
        pub q3_ns: f64,
        /// The slowest reading.
        pub max_ns: f64,
    }
}

pub(super) const QUESTION: Question = Question {
    measure: Measure::Times(measure),
    ..Question::NONE
};

/// Times every function and the empty function on every dataset. The rows of `timing.csv` and `latency.csv` are by
/// dataset and function in the order given, the empty function first; those of `spread.csv` begin with independent calls.
///
/// The seed fixes the order of keys and readings; a quick run takes fewer rounds. The caller must not have started threads.
fn measure(
    datasets: &[Dataset],
    functions: &[&Function],
    progress: &dyn Progress,
    records: &mut Records,
) -> Result<(), Error> {
    let (seed, quick) = (records.run.seed, records.run.quick);
    let mut generator = SplitMix64::seed_from_u64(seed);
    let subjects = subjects(functions);
    let batches: Vec<Batch> = datasets
        .iter()
        .map(|dataset| {
            let parts = if quick { QUICK_ROUNDS } else { PARTS };
            Batch::new(&dataset.keys, generator.next_u64()).in_parts(parts)
        })
        .collect();
    let rounds: Vec<usize> = batches
        .iter()
        .map(|batch| rounds(batch.calls(), batch.bytes_read(), quick))
        .collect();

    progress.begin("timing", (rounds.iter().sum::<usize>() + rounds.len()) as u64);
    let mut tables = Vec::with_capacity(batches.len());
    for (batch, dataset) in batches.into_iter().zip(datasets) {
        tables.push(Table::new(&dataset.name, batch, &subjects, progress)?);
    }
    read_all(&mut tables, &rounds, &mut generator, progress)?;
    for form in [CallForm::Independent, CallForm::Chained] {
        for (table, dataset) in tables.iter().zip(datasets) {
            for line in table.lines().iter().filter(|line| line.form == form) {
                let rows = match form {
                    CallForm::Independent => &mut records.timing,
                    CallForm::Chained => &mut records.latency,
                };
                rows.push(row(table, dataset, line));
                records.spread.push(quartiles(dataset, line));
            }
        }
    }
    Ok(())
}

fn row(table: &Table, dataset: &Dataset, line: &Line) -> TimingRow {
    let (median_ns_per_key, mad_ns_per_key, samples) = line.summary();
    TimingRow {
        dataset: dataset.name.clone(),
        function: line.subject.name.to_owned(),
        keys: table.batch().keys() as u64,
        bytes: table.batch().bytes() as u64,
        median_ns_per_key,
        mad_ns_per_key,
        samples,
    }
}

fn quartiles(dataset: &Dataset, line: &Line) -> SpreadRow {
    let mut sorted = line.samples.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    // There is at least one round.
    let quartiles = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| robust::quantile(&sorted, share));
    let [min_ns, q1_ns, median_ns, q3_ns, max_ns] = quartiles.map(|time| time.unwrap_or(f64::NAN));
    SpreadRow {
        dataset: dataset.name.clone(),
        function: line.subject.name.to_owned(),
        form: line.form,
        samples: sorted.len() as u64,
        min_ns,
        q1_ns,
        median_ns,
        q3_ns,
        max_ns,
    }
}

/// The fewest rounds: with fewer, a single disturbed reading moves the median.
const FEWEST_ROUNDS: usize = 3;
/// Rounds of a quick run, unless readings are long.
const QUICK_ROUNDS: usize = 11;
/// The most parts of a full run: a third of a million keys still exceeds the second-level cache.
const PARTS: usize = 3;

/// Returns the number of readings of each function, from the work of one reading, so that any set takes about as long.
fn rounds(calls: usize, bytes: usize, quick: bool) -> usize {
    // A typical function takes some 8 ns per call and 1 ns per byte: 9 ms for a third of a million keys of twenty
    // bytes. In a full run, only keys of about a hundred megabytes come down to the least number.
    let reading_ns = calls.saturating_mul(8).saturating_add(bytes).max(1);
    if quick {
        (60_000_000 / reading_ns).clamp(FEWEST_ROUNDS, QUICK_ROUNDS)
    } else {
        (200_000_000 / reading_ns).clamp(FEWEST_ROUNDS, 61)
    }
}

#[cfg(test)]
mod tests;
