//! Time per key, over whole batches of a key set. No other module reads a clock.
//!
//! Reading a clock costs more than most of these functions, so one reading covers a whole batch. The cost of the loop
//! is a row of its own: the function [`empty`](crate::record::EMPTY), which goes through the same loop in the same
//! rounds.
//!
//! - The keys of a batch lie back to back in one buffer, in a fixed shuffled order: lengths and bytes vary as in the
//!   key set, and a branch predictor cannot learn the order of a batch of ten thousand keys or more. The times are
//!   those of keys that arrive from memory in sequence; keys scattered over the heap cost more (see
//!   [places](crate::questions::places)).
//! - Every function is called through a pointer that is opaque to the compiler.
//! - Independent calls may overlap in the processor (`timing.csv`, throughput). In chained calls the place of the next
//!   key depends on the previous hash (`latency.csv`), as in a table lookup that waits for its answer.
//! - A round takes one reading of every function in both forms, in a newly shuffled order, so that drift of the machine
//!   affects all alike. The rounds of all datasets are spread evenly over the whole time. Their number depends only on
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

pub(crate) use self::batch::{Batch, empty};
pub use self::pinned::Pinned;
pub use self::watch::Watch;
use crate::functions::Function;
use crate::record::{CallForm as Form, EMPTY};
use records::error::Error;
use statistics::robust;

/// A function to be timed.
#[derive(Clone, Copy)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) hash: fn(&[u8]) -> u64,
}

/// Returns the empty function, then the functions.
pub(crate) fn subjects(functions: &[&Function]) -> Vec<Subject> {
    let floor = Subject {
        name: EMPTY,
        hash: empty,
    };
    let functions = functions.iter().map(|function| Subject {
        name: function.name,
        hash: function.hash,
    });
    std::iter::once(floor).chain(functions).collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads a clock"
)]
fn now() -> Instant {
    Instant::now()
}

/// Takes one reading of a part. Returns nanoseconds per key, and the sum of the values.
pub(crate) fn read(batch: &Batch, part: usize, form: Form, hash: fn(&[u8]) -> u64) -> (f64, u64) {
    timed(batch.calls_of(part), || batch.run(part, form, hash))
}

/// Returns the nanoseconds per call of `work`, which makes `calls` calls, and its result.
pub(crate) fn timed(calls: usize, work: impl FnOnce() -> u64) -> (f64, u64) {
    let start = now();
    let result = work();
    let elapsed = start.elapsed();
    (elapsed.as_nanos() as f64 / calls as f64, result)
}

/// All readings of one function in one form.
pub(crate) struct Line {
    pub(crate) subject: Subject,
    pub(crate) form: Form,
    /// Nanoseconds per key, one per round.
    pub(crate) samples: Vec<f64>,
}

impl Line {
    /// Creates the lines of this function in both forms, without readings.
    pub(crate) fn both(subject: Subject) -> [Self; 2] {
        [Form::Independent, Form::Chained].map(|form| Self {
            subject,
            form,
            samples: Vec::new(),
        })
    }

    /// Adds a reading of keys of `dataset`, whose values must add up to `expected`.
    pub(crate) fn take(
        &mut self,
        (nanoseconds, found): (f64, u64),
        expected: u64,
        dataset: &str,
    ) -> Result<(), Error> {
        if found != expected {
            return Err(Error::internal(format!(
                "timing {} on {dataset}: the values add up to {found:#018x}, not to {expected:#018x} as computed beforehand",
                self.subject.name
            )));
        }
        self.samples.push(nanoseconds);
        Ok(())
    }

    /// Returns the median, the median absolute deviation, and the number of readings, which must not be zero.
    pub(crate) fn summary(&self) -> (f64, f64, u64) {
        let median = robust::median(&mut self.samples.clone()).unwrap_or(f64::NAN);
        let mad = robust::median_absolute_deviation(&self.samples, median).unwrap_or(f64::NAN);
        (median, mad, self.samples.len() as u64)
    }
}
