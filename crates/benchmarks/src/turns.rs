//! The clock, and contenders that take turns.

use std::fmt::Display;
use std::time::Instant;

use terminal::failure::Failure;
use terminal::progress::{Progress, go_on};

/// A run of the program.
pub struct Run<'a> {
    /// Set for few rounds on few keys, which check that a suite works.
    pub is_quick: bool,
    /// Shows what is measured, and knows whether the user asked for a stop.
    pub progress: &'a dyn Progress,
}

impl Run<'_> {
    /// Returns the first value in a quick run, otherwise the second.
    pub fn extent<T>(&self, quick: T, full: T) -> T {
        if self.is_quick { quick } else { full }
    }

    /// Returns an error if the user asked for a stop. Every round begins with it.
    ///
    /// # Errors
    ///
    /// [`Failure::Interrupted`].
    pub fn go_on(&self) -> Result<(), Failure> {
        Ok(go_on(self.progress)?)
    }
}

/// Works through all keys of a batch, and returns a number that checks the work.
pub type Loop<'a> = Box<dyn FnMut() -> u64 + 'a>;

/// Runs `work`, and returns its result and its time in nanoseconds.
#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, here and nowhere else"
)]
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let start = Instant::now();
    let result = work();
    // 64 bits hold 584 years of nanoseconds.
    (result, start.elapsed().as_nanos() as u64)
}

/// The time of a batch, and its number of positive answers: inserts that changed bits, or keys that may be present.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timed {
    /// Nanoseconds.
    pub ns: u64,
    /// Positive answers.
    pub yes: u64,
}

impl Timed {
    /// Adds another part of the batch.
    pub const fn add(&mut self, more: Self) {
        self.ns += more.ns;
        self.yes += more.yes;
    }
}

/// Returns the order of the contenders in a round, as indexes. The order rotates by one in each round.
pub fn turn(round: u64, contenders: usize) -> impl Iterator<Item = usize> {
    (0..contenders).map(move |i| (i + round as usize) % contenders)
}

/// Runs every turn once per round, after an untimed first run, and passes each round, name and time in nanoseconds to
/// `measured`. A turn is a name and a loop that does the work.
///
/// # Errors
///
/// If the user requested a stop, or if a result differs from the turn's own earlier result or, where all turns do the same
/// work, from the first turn's.
pub fn take_turns<N: Display>(
    run: &Run<'_>,
    rounds: u64,
    is_same_work: bool,
    turns: &mut [(N, Loop<'_>)],
    mut measured: impl FnMut(u64, &N, u64),
) -> Result<(), Failure> {
    let results: Vec<u64> = turns.iter_mut().map(|(_, work)| work()).collect();
    for round in 1..=rounds {
        run.go_on()?;
        for index in turn(round, results.len()) {
            let (name, work) = &mut turns[index];
            let (result, ns) = timed(work);
            let expected = if is_same_work { results[0] } else { results[index] };
            if [result, results[index]] != [expected; 2] {
                let got = format!("{name}: the result must be {expected}, got {result}");
                return Err(Failure::Internal(got));
            }
            measured(round, name, ns);
        }
    }
    Ok(())
}
