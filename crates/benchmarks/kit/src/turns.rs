//! The clock, and contenders that take turns. Nothing here knows whose library they are of.

use std::time::Instant;

use crate::version;

/// Runs `work`; gives its result and its time in nanoseconds.
#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, here and nowhere else"
)]
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let start = Instant::now();
    let result = work();
    // 584 years of nanoseconds fit.
    (result, start.elapsed().as_nanos() as u64)
}

/// The contestants of a round in their order, by index; the first one is another in every round.
pub fn turn(round: u64, contestants: usize) -> impl Iterator<Item = usize> {
    (0..contestants).map(move |i| (i + round as usize) % contestants)
}

/// Whose filters a contender has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Those of the engine that the others are compared with, byte for byte.
    Same,
    /// Its own, whose answers for absent keys are others.
    Own,
}

/// One way to do the work of a task.
pub struct Contender<'a, N> {
    /// Who does it, and how it is called.
    pub name: N,
    /// Version of its library.
    pub version: String,
    work: Work,
    /// Does the work, and gives a number by which it can be checked.
    pub run: Box<dyn FnMut() -> u64 + 'a>,
}

impl<'a, N> Contender<'a, N> {
    /// A contender of a package in the lock file.
    pub fn new(name: N, package: &str, work: Work, run: impl FnMut() -> u64 + 'a) -> Self {
        Self::engine(name, version(package), work, run)
    }

    /// The engine itself, of this version.
    pub fn engine(name: N, version: String, work: Work, run: impl FnMut() -> u64 + 'a) -> Self {
        Self {
            name,
            version,
            work,
            run: Box::new(run),
        }
    }
}

/// Runs every contender once in every round, after a first time that does not count, and gives each round, contender and
/// time away; the first contender is the engine.
///
/// # Panics
///
/// When a contender does other work than the engine, or than it did before.
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
