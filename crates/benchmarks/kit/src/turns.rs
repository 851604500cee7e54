//! The clock, and contenders that take turns. This module is independent of the contenders' libraries.

use std::time::Instant;

use crate::version;

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

/// A contender: one way to do a task.
pub struct Contender<'a, N> {
    /// The contender and its form.
    pub name: N,
    /// Version of its library.
    pub version: String,
    work: Work,
    /// Does the work, and returns a number that checks it.
    pub run: Box<dyn FnMut() -> u64 + 'a>,
}

impl<'a, N> Contender<'a, N> {
    /// Builds a contender from a package in the lock file.
    pub fn new(name: N, package: &str, work: Work, run: impl FnMut() -> u64 + 'a) -> Self {
        Self::engine(name, version(package), work, run)
    }

    /// Builds a contender with an explicit version.
    pub fn engine(name: N, version: String, work: Work, run: impl FnMut() -> u64 + 'a) -> Self {
        Self {
            name,
            version,
            work,
            run: Box::new(run),
        }
    }
}

/// Runs every contender once per round, after an untimed first run, and passes each round, contender and time in
/// nanoseconds to `measured`. The first contender is the engine.
///
/// # Panics
///
/// If a contender's result differs from the engine's or from its own earlier result.
pub fn take_turns<'a, N: std::fmt::Debug>(
    rounds: u64,
    contenders: &mut [Contender<'a, N>],
    mut measured: impl FnMut(u64, &Contender<'a, N>, u64),
) {
    let count = contenders.len();
    let results: Vec<u64> = contenders.iter_mut().map(|contender| (contender.run)()).collect();
    for (round, index) in (1..=rounds).flat_map(|round| turn(round, count).map(move |index| (round, index))) {
        let contender = &mut contenders[index];
        let (result, ns) = timed(|| (contender.run)());
        let expected = match contender.work {
            Work::Same => [results[0]; 2],
            Work::Own => [results[index]; 2],
        };
        assert_eq!(
            [result, results[index]],
            expected,
            "{:?} does other work than the engine",
            contender.name
        );
        measured(round, contender, ns);
    }
}
