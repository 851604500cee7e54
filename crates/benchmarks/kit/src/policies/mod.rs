//! Policies that build and query filters in turns: the common part of the benchmarks of LevelDB's, RocksDB's and
//! Parquet's filters.

pub mod fastbloom;
mod ffi;
pub mod keys;
pub mod ours;
pub mod sbbf;

use std::fmt::Display;

pub use self::keys::{EngineSlice, FEWEST_IN_BATCH, KeyLengths};
use crate::record::Batch;
use crate::suites::policy::LEVELDB;
use crate::turns::{self, take_turns};

/// Bits per key of all filters.
pub const BITS_PER_KEY: u32 = 10;

/// Filters of up to this number of keys take 21 rounds; larger filters take long enough with 7.
const SMALL: usize = 1_000_000;

/// A contender with its form.
pub type Contender<'a> = turns::Contender<'a, (&'static str, &'static str)>;

/// Keys as slices, and as arrays if all have 16 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Batched<'a> {
    /// As slices.
    pub slices: &'a [&'a [u8]],
    /// As packed arrays.
    pub arrays: Option<&'a [[u8; 16]]>,
}

/// An engine and its peers.
pub trait Engine {
    /// The filters to query, all of the same keys.
    type Filters;

    /// The key lengths to measure.
    const LENGTHS: [KeyLengths; 2] = [KeyLengths::Fixed, KeyLengths::Mixed];

    /// Returns contenders that build a filter of every `size` keys, the engine first. Their result is the sum of the
    /// filters' first bytes.
    fn that_build<'a>(&self, size: usize, keys: Batched<'a>) -> Vec<Contender<'a>>;

    /// Builds the filters.
    fn filters(&self, stored: &[&[u8]]) -> Self::Filters;

    /// Returns contenders that query a filter of `stored`, the engine first. Their result is the number of keys that
    /// may match.
    fn that_ask<'a>(
        &self,
        filters: &'a Self::Filters,
        stored: &[&[u8]],
        keys: Batched<'a>,
    ) -> Vec<Contender<'a>>;
}

/// Returns the number of rounds for filters of `size` keys.
pub fn rounds(size: usize, is_quick: bool) -> u64 {
    if is_quick || size > SMALL { 7 } else { 21 }
}

/// The sizes of a quick run.
const QUICK_SIZES: [usize; 2] = [32, 4096];

/// The largest filter that is also measured with mixed lengths: 20 million keys of one length already take 2 GB.
const MAX_MIXED: usize = 1_000_000;

/// Measures filters of these sizes with each key length.
pub fn measure_all<E: Engine>(engine: &E, sizes: &[usize], is_quick: bool) -> Vec<Batch> {
    let sizes = if is_quick { &QUICK_SIZES } else { sizes };
    let each = |&size: &usize| {
        let lengths = E::LENGTHS.into_iter();
        let taken = lengths.filter(move |&lengths| lengths == KeyLengths::Fixed || size <= MAX_MIXED);
        taken.flat_map(move |lengths| measure(engine, size, lengths, rounds(size, is_quick)))
    };
    sizes.iter().flat_map(each).collect()
}

/// Measures every task with filters of `size` keys.
pub fn measure(engine: &impl Engine, size: usize, lengths: KeyLengths, rounds: u64) -> Vec<Batch> {
    eprintln!("{size} {}", lengths.name());
    let mut batches = Vec::new();
    let mut run = |task: &str, keys: usize, mut contenders: Vec<Contender<'_>>| {
        take_turns(rounds, &mut contenders, |round, contender, ns| {
            let (name, form) = contender.name;
            let parameters: [&dyn Display; 5] =
                [&form, &contender.version, &lengths.name(), &size, &BITS_PER_KEY];
            batches.push(
                LEVELDB
                    .case(name, task, &parameters)
                    .batch(round, keys as u64, ns),
            );
        });
    };
    let stored = keys::stored(size, lengths);
    let scattered = keys::scattered(&stored, lengths);
    let slices = keys::slices(&stored, &scattered);
    let keys = Batched {
        slices: &slices,
        arrays: keys::arrays(&stored),
    };
    run("build", slices.len(), engine.that_build(size, keys));
    let of_filter = &slices[..size];
    let filters = engine.filters(of_filter);
    for task in ["absent", "present", "both"] {
        let asked = keys::asked(&stored, size, lengths, task);
        let scattered = keys::scattered(&asked, lengths);
        let slices = keys::slices(&asked, &scattered);
        let keys = Batched {
            slices: &slices,
            arrays: keys::arrays(&asked),
        };
        run(task, slices.len(), engine.that_ask(&filters, of_filter, keys));
    }
    batches
}

/// Checks for tests that the contenders did their tasks in as many batches: builds, and queries of both kinds of keys.
///
/// # Panics
///
/// If a contender did not, or a batch is not of the suite.
pub fn check_turns(batches: &[Batch], expected: &[(&str, usize, usize)]) {
    for &(name, builds, asks) in expected {
        let of = |task: &str| {
            let taken = batches
                .iter()
                .filter(|batch| (&*batch.case.contender, &*batch.case.task) == (name, task));
            taken.count()
        };
        assert_eq!((of("build"), of("both")), (builds, asks), "{name}");
    }
    for batch in batches {
        assert!(!batch.case.get("version").is_empty(), "{}", batch.case);
        assert!(batch.count > 0 && batch.calls >= 1 << 15, "{}", batch.case);
    }
    assert!(LEVELDB.rows(batches).is_ok());
}
