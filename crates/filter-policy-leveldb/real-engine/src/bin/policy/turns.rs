//! Contenders that take turns. Nothing here knows whose library they are of.

use crate::data::Shape;
use crate::timing::timed;

/// Whose filters a contender has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Those of the engine that the others are held against, byte for byte.
    Same,
    /// Its own, whose answers for absent keys are others.
    Own,
}

/// One way to do the work of a task.
pub(crate) struct Contender<'a> {
    /// The engine, the kernel, the policy, or the other crate.
    pub(crate) name: &'static str,
    /// How it is called.
    pub(crate) form: &'static str,
    /// Of its library.
    pub(crate) version: String,
    pub(crate) work: Work,
    pub(crate) run: Box<dyn FnMut() -> u64 + 'a>,
}

impl<'a> Contender<'a> {
    pub(crate) fn new(
        name: &'static str,
        form: &'static str,
        version: String,
        work: Work,
        run: impl FnMut() -> u64 + 'a,
    ) -> Self {
        Self {
            name,
            form,
            version,
            work,
            run: Box::new(run),
        }
    }
}

/// What was measured for one contender in one round.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    /// `build`, or which keys were asked for.
    pub(crate) task: &'static str,
    /// Keys of a filter.
    pub(crate) size: usize,
    pub(crate) shape: Shape,
    pub(crate) name: &'static str,
    pub(crate) form: &'static str,
    /// Of the contender's library.
    pub(crate) version: String,
    /// Counted from 1.
    pub(crate) round: usize,
    /// Keys that were added or asked for.
    pub(crate) keys: usize,
    /// Of all keys together.
    pub(crate) ns: u64,
}

/// What contenders are timed at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Task {
    pub(crate) name: &'static str,
    /// Keys of a filter.
    pub(crate) size: usize,
    pub(crate) shape: Shape,
    /// Keys that every contender adds or asks for.
    pub(crate) keys: usize,
    pub(crate) rounds: usize,
}

/// Runs every contender once in every round, after a first time that does not count; the first contender is the engine.
pub(crate) fn take_turns(task: Task, contenders: &mut [Contender<'_>]) -> Vec<Batch> {
    let mut batches = Vec::new();
    let results: Vec<u64> = contenders.iter_mut().map(|contender| (contender.run)()).collect();
    for round in 1..=task.rounds {
        for i in 0..contenders.len() {
            let index = (i + round) % contenders.len();
            let (result, ns) = timed(|| (contenders[index].run)());
            let contender = &contenders[index];
            // Of a filter of its own, the same in every round.
            let expected = match contender.work {
                Work::Same => [results[0]; 2],
                Work::Own => [results[index]; 2],
            };
            assert_eq!(
                [result, results[index]],
                expected,
                "{}, {} does other work than {}",
                contender.name,
                contender.form,
                contenders[0].name
            );
            batches.push(Batch {
                task: task.name,
                size: task.size,
                shape: task.shape,
                name: contender.name,
                form: contender.form,
                version: contender.version.clone(),
                round,
                keys: task.keys,
                ns,
            });
        }
    }
    batches
}
