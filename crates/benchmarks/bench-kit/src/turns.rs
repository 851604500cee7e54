//! The clock, and contenders that take turns.

use std::time::Instant;

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

/// Returns the order of the contestants in a round, as indexes. The order rotates by one in each round.
pub fn turn(round: u64, contestants: usize) -> impl Iterator<Item = usize> {
    (0..contestants).map(move |i| (i + round as usize) % contestants)
}

/// Runs every turn once per round, after an untimed first run, and passes each round, name and time in nanoseconds to
/// `measured`. A turn is a name and a loop that does the work.
///
/// # Panics
///
/// If a result differs from the turn's own earlier result or, where all turns do the same work, from the first turn's.
pub fn take_turns<N>(
    rounds: u64,
    is_same_work: bool,
    turns: &mut [(N, Loop<'_>)],
    mut measured: impl FnMut(u64, &N, u64),
) {
    let results: Vec<u64> = turns.iter_mut().map(|(_, run)| run()).collect();
    for round in 1..=rounds {
        for index in turn(round, results.len()) {
            let (name, run) = &mut turns[index];
            let (result, ns) = timed(run);
            let expected = if is_same_work { results[0] } else { results[index] };
            let is_expected = [result, results[index]] == [expected; 2];
            assert!(is_expected, "turn {index} does other work");
            measured(round, name, ns);
        }
    }
}
