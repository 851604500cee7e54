//! Time against length: keys of one length at a time, in the cache.
//!
//! Real keys vary in length, and for short keys a branch misprediction costs more than the function: `timing.csv`
//! includes that cost. Here every key of a reading has the same length, so branches are predicted, and only the
//! function's own work is left: the cost of a call, and of each byte. Calls are independent or chained as in
//! [`timing`](super::timing), and read in the same way: interleaved, in rounds of newly shuffled order.

use rand::Rng as _;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng as _;

use crate::clock::{Batch, Line, Subject, read, subjects};
use crate::functions::Function;
use crate::keys::shuffled;
use crate::questions::CurveRow;
use records::error::Error;
use records::progress::{Progress, go_on};

/// Every length up to here is timed.
pub(super) const EACH_UP_TO: usize = 64;
/// Lengths beyond [`EACH_UP_TO`]: powers of two, and half-way between.
pub(super) const BEYOND: [usize; 20] = [
    96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12_288, 16_384, 24_576,
    32_768, 49_152, 65_536,
];
/// Lengths of a quick run: a few, around those where functions change their code paths.
pub(super) const QUICK: [usize; 16] = [0, 1, 3, 4, 7, 8, 12, 16, 24, 32, 64, 128, 256, 1024, 8192, 65_536];

const ROUNDS: usize = 9;
const QUICK_ROUNDS: usize = 3;

/// Bytes of the keys of one reading, unless a single key is longer; this fits into any first-level cache.
const BYTES_OF_KEYS: usize = 16 << 10;
/// The most keys of one reading.
const KEYS: usize = 256;
/// Target time of one reading, for a typical 8 ns per call and 1 ns per byte. Reading a clock takes some 20 ns.
const READING_NS: usize = 40_000;

/// Returns the lengths of a run.
pub(super) fn lengths(quick: bool) -> Vec<usize> {
    if quick {
        QUICK.to_vec()
    } else {
        (0..=EACH_UP_TO).chain(BEYOND).collect()
    }
}

/// Times every function and the empty function on random keys of each length.
///
/// Rows are by function in the order given, the empty function first, then by length, then by form.
///
/// # Errors
///
/// Returns an error if a function gives another result while timed than before, or if `progress` requests a stop.
pub(super) fn measure(
    functions: &[&Function],
    seed: u64,
    quick: bool,
    progress: &dyn Progress,
) -> Result<Vec<CurveRow>, Error> {
    let mut generator = SplitMix64::seed_from_u64(seed);
    let subjects = subjects(functions);
    let lengths = lengths(quick);
    let rounds = if quick { QUICK_ROUNDS } else { ROUNDS };
    progress.begin("timing lengths", (lengths.len() * (rounds + 1)) as u64);
    let mut columns: Vec<Column> = lengths
        .iter()
        .map(|&length| Column::new(length, &subjects, &mut generator))
        .collect();
    for round in 0..=rounds {
        for index in shuffled(columns.len() as u32, generator.next_u64()) {
            go_on(progress)?;
            columns[index as usize].round(generator.next_u64())?;
            progress.step();
        }
        if round == 0 {
            // The first round is the warm-up.
            let lines = columns.iter_mut().flat_map(|column| &mut column.lines);
            lines.for_each(|line| line.samples.clear());
        }
    }
    let rows = (0..subjects.len()).flat_map(|subject| {
        columns.iter().flat_map(move |column| {
            column.lines[2 * subject..2 * subject + 2]
                .iter()
                .map(|line| column.row(line))
        })
    });
    Ok(rows.collect())
}

/// All readings of one length.
struct Column {
    length: usize,
    batch: Batch,
    /// By function, then by form.
    lines: Vec<Line>,
    /// Expected checksums of readings, by function.
    expected: Vec<u64>,
}

impl Column {
    fn new(length: usize, subjects: &[Subject], generator: &mut SplitMix64) -> Self {
        let count = (BYTES_OF_KEYS / length.max(1)).clamp(1, KEYS);
        let mut bytes = vec![0; count * length];
        generator.fill_bytes(&mut bytes);
        let repetitions = (READING_NS / ((8 + length) * count)).max(1);
        let batch = Batch::of(
            (0..count).map(|key| &bytes[key * length..][..length]),
            repetitions,
        );
        Self {
            length,
            lines: subjects.iter().flat_map(|&subject| Line::both(subject)).collect(),
            expected: subjects
                .iter()
                .map(|subject| batch.checksum(0, subject.hash))
                .collect(),
            batch,
        }
    }

    fn round(&mut self, seed: u64) -> Result<(), Error> {
        let name = format!("keys of {} bytes", self.length);
        for index in shuffled(self.lines.len() as u32, seed) {
            let line = &mut self.lines[index as usize];
            let reading = read(&self.batch, 0, line.form, line.subject.hash);
            line.take(reading, self.expected[index as usize / 2], &name)?;
        }
        Ok(())
    }

    fn row(&self, line: &Line) -> CurveRow {
        let (median_ns_per_key, mad_ns_per_key, samples) = line.summary();
        CurveRow {
            function: line.subject.name.to_owned(),
            length: self.length as u64,
            form: line.form,
            median_ns_per_key,
            mad_ns_per_key,
            samples,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions;
    use crate::record::{CallForm, EMPTY};
    use records::progress::Silent;

    #[test]
    fn every_function_has_every_length_in_both_forms() {
        let chosen = [functions::find("XXH3").unwrap(), functions::find("PJW").unwrap()];
        let rows = measure(&chosen, 1, true, &Silent).unwrap();
        let lengths = lengths(true);
        let expected = [EMPTY, "XXH3", "PJW"].into_iter().flat_map(|function| {
            let forms = move |&length: &usize| {
                [CallForm::Independent, CallForm::Chained].map(|form| (function, length as u64, form))
            };
            lengths.iter().flat_map(forms)
        });
        let found = rows
            .iter()
            .map(|row| (row.function.as_str(), row.length, row.form));
        assert!(found.eq(expected));
        let samples = QUICK_ROUNDS as u64;
        assert!(
            rows.iter()
                .all(|row| row.median_ns_per_key > 0.0 && row.samples == samples)
        );
        // A quick run takes some of the lengths.
        let all = super::lengths(false);
        assert_eq!((all.len(), all[64], all[84]), (85, 64, 65_536));
        assert!(lengths.iter().all(|length| all.contains(length)));
    }
}
