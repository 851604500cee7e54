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

/// Returns the order of the contestants in a round, as indexes. The order rotates by one in each round.
pub fn turn(round: u64, contestants: usize) -> impl Iterator<Item = usize> {
    (0..contestants).map(move |i| (i + round as usize) % contestants)
}

/// Relation of a contender's filters to the engine's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// The filters equal the engine's byte for byte.
    Same,
    /// The bytes differ, and so do answers for absent keys.
    Own,
}

/// One way to do a task.
pub struct Turn<'a, N> {
    name: N,
    work: Work,
    run: Loop<'a>,
}

impl<'a, N> Turn<'a, N> {
    /// Makes a turn; `run` does the work, and returns a number that checks it.
    pub fn new(name: N, work: Work, run: Loop<'a>) -> Self {
        Self { name, work, run }
    }
}

/// Runs every turn once per round, after an untimed first run, and passes each round, name and time in nanoseconds to
/// `measured`. The first is the engine's.
///
/// # Panics
///
/// If a result differs from the engine's or from its own earlier result.
pub fn take_turns<N>(rounds: u64, turns: &mut [Turn<'_, N>], mut measured: impl FnMut(u64, &N, u64)) {
    let count = turns.len();
    let results: Vec<u64> = turns.iter_mut().map(|turn| (turn.run)()).collect();
    for (round, index) in (1..=rounds).flat_map(|round| turn(round, count).map(move |index| (round, index))) {
        let turn = &mut turns[index];
        let (result, ns) = timed(|| (turn.run)());
        let expected = match turn.work {
            Work::Same => [results[0]; 2],
            Work::Own => [results[index]; 2],
        };
        assert_eq!(
            [result, results[index]],
            expected,
            "turn {index} does other work than the engine"
        );
        measured(round, &turn.name, ns);
    }
}
