//! The measurement.

use filter_policy_leveldb_real_engine::EnginePolicy;

use crate::contenders;
use crate::data::{self, Asked, BITS_PER_KEY, Shape};
use crate::peers;
use crate::turns::{Batch, Task, take_turns};

/// Measures everything for filters of `size` keys.
pub(crate) fn measure(size: usize, shape: Shape, rounds: usize) -> Vec<Batch> {
    let stored = data::stored(size, shape);
    let slices = stored.slices();
    let task = |name, keys| Task {
        name,
        size,
        shape,
        keys,
        rounds,
    };
    let mut builders = contenders::that_build(size, &slices, stored.arrays());
    builders.extend(peers::that_build(size, &slices));
    let mut batches = take_turns(task("build", slices.len()), &mut builders);
    // Their copies of the keys are no longer needed.
    drop(builders);
    let filter_keys = &slices[..size];
    let filter = EnginePolicy::builtin(BITS_PER_KEY).create_filter(filter_keys);
    for asked in Asked::ALL {
        let keys = data::asked(&stored, size, shape, asked);
        let slices = keys.slices();
        let mut askers = contenders::that_ask(&filter, &slices, keys.arrays());
        askers.extend(peers::that_ask(filter_keys, &filter, &slices));
        batches.extend(take_turns(task(asked.name(), slices.len()), &mut askers));
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_takes_part_in_every_round() {
        let batches = measure(33, Shape::Fixed, 2);
        let of = |name, task| {
            let taken = batches
                .iter()
                .filter(|batch| batch.name == name && batch.task == task);
            taken.count()
        };
        assert_eq!((of("leveldb", "build"), of("scalar", "build")), (2, 4));
        assert_eq!((of("leveldb", "both"), of("scalar", "both")), (2, 8));
        for peer in ["rusty-leveldb", "fastbloom-hashes", "fastbloom-default"] {
            assert_eq!((of(peer, "build"), of(peer, "present")), (2, 2), "{peer}");
        }
        assert!(batches.iter().all(|batch| !batch.version.is_empty()));
        assert!(batches.iter().all(|batch| batch.ns > 0 && batch.keys >= 1 << 15));
    }
}
