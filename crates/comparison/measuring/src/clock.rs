//! Time per key, over whole batches of a key set. No other module reads a clock.
//!
//! Reading a clock costs more than most of these functions, so one reading covers a whole batch. The cost of the loop
//! is a row of its own: the function [`empty`](crate::record::EMPTY), which goes through the same loop in the same
//! rounds.
//!
//! - The keys of a batch lie back to back in one buffer, in a fixed shuffled order: lengths and bytes vary as in the
//!   key set, and a branch predictor cannot learn the order of a batch of ten thousand keys or more. The times are
//!   those of keys that arrive from memory in sequence; keys scattered over the heap cost more (see
//!   [`Place::Memory`]).
//! - Every function is called through a pointer that is opaque to the compiler.
//! - Independent calls may overlap in the processor (throughput). In chained calls the place of the next
//!   key depends on the previous hash (latency), as in a table lookup that waits for its answer.
//! - A round takes one reading of every function in both forms, in a newly shuffled order, so that drift of the machine
//!   affects all alike. The rounds of all datasets are spread over the whole time. Their number depends only on
//!   the size of the batch, never on the clock. A reading ends with the keys, or after a few megabytes, so that keys of
//!   any length take seconds, and a run can be stopped between two readings.
//! - A large set is read in parts, another part in each round: more readings for a median in the same time. A quick run
//!   reads every key once.
//! - If the system reports it, the records say how often other programs took the processor during all of the timing,
//!   including lengths and places ([`Watch`]).
//! - The values are summed, and the sum is compared with one computed beforehand: no time is taken from a wrong result.

mod batch;
mod pinned;
mod watch;

use std::time::Instant;

pub use self::batch::Batch;
use self::batch::empty;
pub(crate) use self::batch::sample;
pub use self::pinned::Pinned;
pub use self::watch::{Stopwatch, Watch};
use crate::functions::Function;
use crate::keys::shuffled;
use crate::record::{CallForm as Form, EMPTY, Place};
use rand::Rng as _;
use rand_xoshiro::SplitMix64;
use terminal::failure::Failure;
use terminal::progress::{Cancelled, Progress, go_on};

/// Returns the empty function, then the functions.
pub fn subjects(functions: &[&Function]) -> Vec<Function> {
    let floor = Function::custom(EMPTY, u64::BITS, empty, &[]);
    [floor]
        .into_iter()
        .chain(functions.iter().map(|&function| function.clone()))
        .collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads a clock"
)]
fn now() -> Instant {
    Instant::now()
}

/// Takes one reading of a part. Returns nanoseconds per key, and the sum of the values.
fn read(batch: &Batch, part: usize, form: Form, hash: fn(&[u8]) -> u64) -> (f64, u64) {
    let start = now();
    let sum = batch.run(part, form, hash);
    let elapsed = start.elapsed();
    (elapsed.as_nanos() as f64 / batch.calls_of(part) as f64, sum)
}

/// Returns the nanoseconds of the fastest of a few calls.
pub fn of_a_call(key: &[u8], hash: fn(&[u8]) -> u64) -> f64 {
    let batch = Batch::of([key], 1);
    let readings = (0..8).map(|_| read(&batch, 0, Form::Independent, hash).0);
    readings.fold(f64::INFINITY, f64::min)
}

/// All readings of one function in one form.
pub struct Line {
    /// The function.
    pub subject: Function,
    /// The form of the calls.
    pub form: Form,
    /// Nanoseconds per key, one per round.
    pub samples: Vec<f64>,
}

/// Keys to be timed.
pub struct Workload<'a> {
    /// Name of the dataset; empty for keys of one length.
    pub dataset: &'a str,
    /// The place of the keys.
    pub place: Place,
    /// The keys.
    pub batch: Batch,
    /// The number of readings of each function in each form.
    pub rounds: usize,
}

/// All readings of one batch.
pub struct Readings<'a> {
    /// The keys.
    pub workload: Workload<'a>,
    /// By function, then by form.
    pub lines: Vec<Line>,
    /// The sums that readings of each part must give, by function.
    expected: Vec<Vec<u64>>,
    /// Rounds taken, the warm-up included.
    taken: usize,
}

impl<'a> Readings<'a> {
    /// Creates the table of these functions, without readings.
    pub fn new(
        workload: Workload<'a>,
        subjects: &[Function],
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let expected = subjects.iter().map(|subject| {
            go_on(progress)?;
            let sum = |part| workload.batch.checksum(part, subject.hash);
            let parts = workload.batch.parts();
            Ok(match workload.place {
                // Each part is a copy of one sample.
                Place::Memory => vec![sum(0); parts],
                _ => (0..parts).map(sum).collect(),
            })
        });
        let lines = |subject: &Function| {
            [Form::Independent, Form::Chained].map(|form| Line {
                subject: subject.clone(),
                form,
                samples: Vec::new(),
            })
        };
        Ok(Self {
            expected: expected.collect::<Result<_, Cancelled>>()?,
            lines: subjects.iter().flat_map(lines).collect(),
            workload,
            taken: 0,
        })
    }

    /// Returns the part that a line reads next. Parts rotate with rounds and lines, so that a line mostly reads keys
    /// that the previous line did not bring into the cache, as if every line read all keys. In memory each round goes on
    /// with the part after the last one of the previous round, so that all other parts are read before one is read again.
    pub fn next_part(&self, line: usize) -> usize {
        let stride = match self.workload.place {
            Place::Memory => self.lines.len(),
            _ => 1,
        };
        (line + self.taken * stride) % self.workload.batch.parts()
    }

    /// Takes one reading of each line, in an order drawn from `seed`.
    pub fn round(&mut self, seed: u64, progress: &dyn Progress) -> Result<(), Failure> {
        let order = shuffled(self.lines.len() as u32, seed);
        let Workload { dataset, batch, .. } = &self.workload;
        // The previous round may have been of other keys: this brings these back into the cache.
        if let Some(&last) = order.last() {
            let part = self.next_part(last as usize);
            let last = &self.lines[last as usize];
            batch.run(part, last.form, last.subject.hash);
        }
        for index in order {
            go_on(progress)?;
            let part = self.next_part(index as usize);
            let line = &mut self.lines[index as usize];
            let (nanoseconds, found) = read(batch, part, line.form, line.subject.hash);
            let expected = self.expected[index as usize / 2][part];
            if found != expected {
                let keys = if dataset.is_empty() {
                    "keys of one length"
                } else {
                    dataset
                };
                return Err(Failure::internal(format!(
                    "timing {} on {keys}: the values add up to {found:#018x}, not to {expected:#018x} as computed beforehand",
                    line.subject.facts.name
                )));
            }
            line.samples.push(nanoseconds);
        }
        self.taken += 1;
        Ok(())
    }
}

/// Takes the rounds of all keys, spread over the whole time, after a round of each to warm up. The steps of `progress`
/// are rounds, those of the warm-up included.
pub(crate) fn read_all<'a>(
    workloads: Vec<Workload<'a>>,
    subjects: &[Function],
    generator: &mut SplitMix64,
    progress: &dyn Progress,
) -> Result<Vec<Readings<'a>>, Failure> {
    let rounds: Vec<usize> = workloads.iter().map(|one| one.rounds).collect();
    let tables = workloads
        .into_iter()
        .map(|one| Readings::new(one, subjects, progress));
    let mut tables = tables.collect::<Result<Vec<_>, _>>()?;
    let warm_up = 0..tables.len();
    let order: Vec<usize> = warm_up.clone().chain(spread(&rounds, generator)).collect();
    for (number, index) in order.into_iter().enumerate() {
        let table = &mut tables[index];
        table.round(generator.next_u64(), progress)?;
        if warm_up.contains(&number) {
            table.lines.iter_mut().for_each(|line| line.samples.clear());
        }
        progress.step();
    }
    Ok(tables)
}

/// Returns the indices of the tables, each as often as it has rounds: the time is divided into as many equal parts, with
/// a round at a random place of each.
pub fn spread(rounds: &[usize], generator: &mut SplitMix64) -> Vec<usize> {
    let mut order: Vec<(f64, usize)> = Vec::new();
    for (table, &count) in rounds.iter().enumerate() {
        order.extend((0..count).map(|round| {
            let place = generator.next_u64() as f64 / u64::MAX as f64;
            ((round as f64 + place) / count as f64, table)
        }));
    }
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    order.into_iter().map(|(_, table)| table).collect()
}
