//! The measurement.

use std::path::Path;

use filter_policy_leveldb_real_engine::Engine;

use crate::options::Options;
use crate::timing::timed;
use crate::variants::{Data, Key, Variant};

/// How much of a database the block cache holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cache {
    /// Everything: after the first time no block is read from the file.
    Everything,
    /// Nothing: every block is decompressed from the file, which the operating system has in memory.
    Nothing,
}

impl Cache {
    const fn bytes(self) -> usize {
        match self {
            Self::Everything => isize::MAX as usize,
            Self::Nothing => 0,
        }
    }
}

/// Which keys are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    Absent,
    Present,
}

/// What was measured for one policy in one round.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) cache: Cache,
    pub(crate) keys: Keys,
    pub(crate) variant: Variant,
    /// Counted from 1.
    pub(crate) round: usize,
    pub(crate) gets: usize,
    /// Reads of the tables' files: blocks, since filters and indexes were read before.
    pub(crate) blocks: u64,
    /// Of all Gets together.
    pub(crate) ns: u64,
}

/// Measures everything, in the order in which it was measured.
pub(crate) fn measure(folder: &Path, data: &Data, options: &Options) -> Vec<Batch> {
    let mut batches = Vec::new();
    for cache in [Cache::Everything, Cache::Nothing] {
        let engines = Variant::ALL.map(|variant| (variant, variant.open(folder, cache.bytes())));
        for (variant, engine) in &engines {
            // Opens all tables, and fills the cache.
            let entries = engine.count();
            assert_eq!(entries, data.stored.len() as u64, "entries of {}", variant.name());
        }
        for (index, (absent, present)) in data.batches(options.gets).take(options.rounds).enumerate() {
            for i in 0..engines.len() {
                let (variant, engine) = &engines[(i + index) % engines.len()];
                for (keys, asked) in [(Keys::Absent, &absent), (Keys::Present, &present)] {
                    if keys == Keys::Present && !variant.finds_stored_keys() {
                        continue;
                    }
                    let (blocks, ns) = ask(engine, keys, asked);
                    batches.push(Batch {
                        cache,
                        keys,
                        variant: *variant,
                        round: index + 1,
                        gets: asked.len(),
                        blocks,
                        ns,
                    });
                }
            }
        }
    }
    batches
}

/// Asks for all keys of a batch: blocks read, and nanoseconds.
fn ask(engine: &Engine, keys: Keys, asked: &[Key]) -> (u64, u64) {
    let before = engine.reads();
    let (found, ns) = timed(|| asked.iter().filter(|key| engine.has(*key)).count());
    let expected = if keys == Keys::Present { asked.len() } else { 0 };
    assert_eq!(found, expected, "keys found, of {}", asked.len());
    (engine.reads() - before, ns)
}
