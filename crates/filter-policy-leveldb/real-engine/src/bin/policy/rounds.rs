//! The measurement.

use filter_policy_leveldb_real_engine::EnginePolicy;

use crate::contenders::{self, BITS_PER_KEY, Contender, Work};
use crate::data::{self, Asked, Shape};
use crate::peers;
use crate::timing::timed;

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

/// Measures everything for filters of `size` keys.
pub(crate) fn measure(size: usize, shape: Shape, rounds: usize) -> Vec<Batch> {
    let mut batches = Vec::new();
    let stored = data::stored(size, shape);
    let slices = stored.slices();
    let mut run = |task, keys: usize, contenders: &mut [Contender<'_>]| {
        take_turns(contenders, rounds, |contender, round, ns| {
            batches.push(Batch {
                task,
                size,
                shape,
                name: contender.name,
                form: contender.form,
                version: contender.version.clone(),
                round,
                keys,
                ns,
            });
        });
    };
    let mut builders = contenders::that_build(size, &slices, stored.arrays());
    builders.extend(peers::that_build(size, &slices));
    run("build", slices.len(), &mut builders);
    // Their copies of the keys are no longer needed.
    drop(builders);
    let filter_keys = &slices[..size];
    let filter = EnginePolicy::builtin(BITS_PER_KEY).create_filter(filter_keys);
    for asked in Asked::ALL {
        let keys = data::asked(&stored, size, shape, asked);
        let slices = keys.slices();
        let mut askers = contenders::that_ask(&filter, &slices, keys.arrays());
        askers.extend(peers::that_ask(filter_keys, &filter, &slices));
        run(asked.name(), slices.len(), &mut askers);
    }
    batches
}

/// Runs every contender once in every round, after a first time that does not count.
fn take_turns(
    contenders: &mut [Contender<'_>],
    rounds: usize,
    mut record: impl FnMut(&Contender<'_>, usize, u64),
) {
    let results: Vec<u64> = contenders.iter_mut().map(|contender| (contender.run)()).collect();
    for round in 1..=rounds {
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
            record(contender, round, ns);
        }
    }
}
