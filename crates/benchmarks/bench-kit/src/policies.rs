//! Policies that build and query filters in turns: the common part of the benchmarks of LevelDB's, RocksDB's and
//! Parquet's filters.

pub mod keys;
pub mod ours;
pub mod peer;

use std::fmt::Display;

pub use self::keys::{KeyLengths, TaskKeys};
use crate::record::Batch;
use crate::suites::policy::SUITE;
use crate::turns::{Loop, take_turns};

/// Bits per key of all filters.
pub const BITS_PER_KEY: u32 = 10;

/// Filters of up to this number of keys take 21 rounds; larger filters take long enough with 7.
const SMALL: usize = 1_000_000;

/// Keys as slices, and as arrays if all have 16 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Batched<'a> {
    /// As slices.
    pub slices: &'a [&'a [u8]],
    /// As packed arrays.
    pub arrays: Option<&'a [[u8; 16]]>,
}

/// The forms of calls for a task.
pub type Forms<'a> = Vec<(&'static str, Loop<'a>)>;

/// A way to build filters.
pub trait Maker {
    /// Returns the version of the library.
    fn version(&self) -> String;

    /// Returns loops that build a filter of every `size` keys, and return the bytes of all filters together.
    fn builds<'a>(&'a self, size: usize, keys: Batched<'a>) -> Forms<'a>;

    /// Returns loops that count the keys that may match the filter of other keys.
    fn asks<'a>(&'a self, stored: &[&[u8]], keys: Batched<'a>) -> Forms<'a>;
}

/// A contender, in a list of which the first is the engine: its name, and what makes the engine's filters.
pub type Contender = (&'static str, Box<dyn Maker>);

/// Returns the number of rounds for filters of `size` keys.
pub fn rounds(size: usize, is_quick: bool) -> u64 {
    if is_quick || size > SMALL { 7 } else { 21 }
}

/// The sizes of a quick run.
const QUICK_SIZES: [usize; 2] = [32, 4096];

/// The largest filter that is also measured with mixed lengths: 20 million keys of one length already take 2 GB.
const MAX_MIXED: usize = 1_000_000;

/// Measures filters of these sizes, with keys of 16 bytes and of these lengths.
pub fn measure_all(
    contenders: &[Contender],
    sizes: &[usize],
    others: KeyLengths,
    is_quick: bool,
) -> Vec<Batch> {
    let sizes = if is_quick { &QUICK_SIZES } else { sizes };
    let each = |&size: &usize| {
        let lengths = [KeyLengths::Fixed, others].into_iter();
        let taken = lengths.filter(move |&lengths| lengths == KeyLengths::Fixed || size <= MAX_MIXED);
        taken.flat_map(move |lengths| measure(contenders, size, lengths, rounds(size, is_quick)))
    };
    sizes.iter().flat_map(each).collect()
}

/// Measures every task with filters of `size` keys.
pub fn measure(contenders: &[Contender], size: usize, lengths: KeyLengths, rounds: u64) -> Vec<Batch> {
    eprintln!("{size} {}", lengths.name());
    let mut batches = Vec::new();
    let mut run = |task: &str, calls: usize, forms: Vec<Forms<'_>>| {
        let each = contenders.iter().zip(forms).flat_map(|(contender, forms)| {
            let turn = move |(form, run)| ((contender, form), run);
            forms.into_iter().map(turn)
        });
        take_turns(
            rounds,
            true,
            &mut each.collect::<Vec<_>>(),
            |round, ((name, maker), form), ns| {
                let version = maker.version();
                let parameters: [&dyn Display; 5] = [form, &version, &lengths.name(), &size, &BITS_PER_KEY];
                let case = SUITE.case(name, task, &parameters);
                batches.push(case.batch(round, calls as u64, ns));
            },
        );
    };
    let stored = TaskKeys::new(keys::stored(size, lengths), lengths);
    let slices = stored.slices();
    let (members, keys) = (&slices[..size], stored.batched(&slices));
    let builds = contenders.iter().map(|(_, maker)| maker.builds(size, keys));
    run("build", slices.len(), builds.collect());
    for task in ["absent", "present"] {
        let asked = TaskKeys::new(keys::asked(&stored.keys, size, lengths, task), lengths);
        let slices = asked.slices();
        let keys = asked.batched(&slices);
        let asks = contenders.iter().map(|(_, maker)| maker.asks(members, keys));
        run(task, slices.len(), asks.collect());
    }
    batches
}

/// Measures small filters for a test.
///
/// # Panics
///
/// If a contender takes no part in a task, its work differs from the engine's, or a batch is not of the suite.
pub fn check(contenders: &[Contender], lengths: KeyLengths) {
    let batches = measure(contenders, 600, lengths, 2);
    for (name, _) in contenders {
        for task in SUITE.tasks {
            let is_it = |batch: &Batch| batch.case.contender == *name && batch.case.task == task.name;
            assert!(batches.iter().any(is_it), "{name}, {}", task.name);
        }
    }
    for batch in &batches {
        assert!(!batch.case.get("version").is_empty(), "{}", batch.case);
        assert!(batch.count > 0 && batch.calls >= 1 << 15, "{}", batch.case);
    }
    assert!(SUITE.rows(&batches).is_ok());
}
