//! The measurement.

use crate::contenders::Filters;
use crate::data::{self, Asked, Shape};
use crate::turns::{Batch, Task, take_turns};
use crate::{contenders, peers};

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
    let filter_keys = &slices[..size];
    let filters = Filters::new(filter_keys);
    for asked in Asked::ALL {
        let keys = data::asked(&stored, size, shape, asked);
        let slices = keys.slices();
        let mut askers = contenders::that_ask(&filters, &slices, keys.arrays());
        askers.extend(peers::that_ask(filter_keys, &slices));
        batches.extend(take_turns(task(asked.name(), slices.len()), &mut askers));
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_takes_part_in_every_round() {
        let batches = measure(600, Shape::Fixed, 2);
        let of = |name, task| {
            let taken = batches
                .iter()
                .filter(|batch| batch.name == name && batch.task == task);
            taken.count()
        };
        for (name, builds, asks) in [
            ("rocksdb", 2, 2),
            ("rocksdb-batch", 0, 2),
            ("rocksdb-ribbon", 2, 2),
            ("scalar", 4, 10),
            ("ribbon", 2, 4),
            ("bloom64", 4, 8),
            ("sbbf-xxh3", 2, 2),
            ("sbbf-xxph3", 2, 2),
            ("fastbloom-hashes", 2, 2),
            ("fastbloom-default", 2, 2),
        ] {
            assert_eq!((of(name, "build"), of(name, "both")), (builds, asks), "{name}");
        }
        assert!(batches.iter().all(|batch| !batch.version.is_empty()));
        assert!(batches.iter().all(|batch| batch.ns > 0 && batch.keys >= 1 << 15));
    }
}
