//! The measurement.

use std::path::Path;

use filter_policy_leveldb_real_engine::Engine;

use crate::options::Options;
use crate::timing::{median, median_deviation, timed};
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
    Stored,
}

/// What was measured for one policy.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) cache: Cache,
    pub(crate) keys: Keys,
    pub(crate) variant: Variant,
    /// Median over the rounds, and median deviation from it.
    pub(crate) ns_per_get: f64,
    pub(crate) ns_deviation: f64,
    /// Median over the rounds of the time without filters over the time with this policy.
    pub(crate) speed_up: f64,
    /// Blocks that were read from the file; over all rounds.
    pub(crate) blocks_per_get: f64,
}

/// Measures everything, in the order in which it is shown.
pub(crate) fn measure(folder: &Path, data: &Data, options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for cache in [Cache::Everything, Cache::Nothing] {
        let engines = Variant::ALL.map(|variant| (variant, variant.open(folder, cache.bytes())));
        for (variant, engine) in &engines {
            // Opens all tables, and fills the cache.
            let entries = engine.count();
            assert_eq!(entries, data.stored.len() as u64, "entries of {}", variant.name());
        }
        let mut samples = vec![Samples::default(); 2 * engines.len()];
        for (round, (absent, stored)) in data.batches(options.gets).take(options.rounds).enumerate() {
            for i in 0..engines.len() {
                let place = (i + round) % engines.len();
                let (variant, engine) = &engines[place];
                samples[2 * place].add(engine, &absent, 0);
                if variant.finds_stored_keys() {
                    samples[2 * place + 1].add(engine, &stored, stored.len());
                }
            }
        }
        for (kind, keys) in [Keys::Absent, Keys::Stored].into_iter().enumerate() {
            let base = samples[kind].clone();
            for (place, (variant, _)) in engines.iter().enumerate() {
                let samples = &samples[2 * place + kind];
                if !samples.ns_per_get.is_empty() {
                    rows.push(samples.row(cache, keys, *variant, &base));
                }
            }
        }
    }
    rows
}

/// What the rounds gave for one policy and one kind of keys.
#[derive(Debug, Clone, Default)]
struct Samples {
    ns_per_get: Vec<f64>,
    blocks: u64,
    gets: u64,
}

impl Samples {
    /// Asks for all keys of a batch.
    fn add(&mut self, engine: &Engine, batch: &[Key], expected: usize) {
        let before = engine.reads();
        let (found, ns) = timed(|| batch.iter().filter(|key| engine.has(*key)).count());
        assert_eq!(found, expected, "keys found, of {}", batch.len());
        self.ns_per_get.push(ns / batch.len() as f64);
        self.blocks += engine.reads() - before;
        self.gets += batch.len() as u64;
    }

    fn row(&self, cache: Cache, keys: Keys, variant: Variant, base: &Self) -> Row {
        let ratios = base
            .ns_per_get
            .iter()
            .zip(&self.ns_per_get)
            .map(|(base, own)| base / own);
        Row {
            cache,
            keys,
            variant,
            ns_per_get: median(self.ns_per_get.clone()),
            ns_deviation: median_deviation(&self.ns_per_get),
            speed_up: median(ratios.collect()),
            blocks_per_get: self.blocks as f64 / self.gets as f64,
        }
    }
}
