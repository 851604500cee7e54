//! Policies that build and query filters in turns: the common part of the benchmarks of LevelDB's, RocksDB's and
//! Parquet's filters.

pub mod keys;
pub mod ours;
pub mod peer;

use std::fmt::Display;

pub use self::keys::{Batched, KeyLengths};
use crate::record::{Batch, Case};
use crate::suites::policy::SUITE;
use crate::turns::{Loop, take_turns};

/// Bits per key of all filters.
pub const BITS_PER_KEY: u32 = 10;

/// Filters of up to this number of keys take 21 rounds; larger filters take long enough with 7. They are not measured
/// with mixed lengths: 20 million keys of one length already take 2 GB.
const SMALL: usize = 1_000_000;

/// The sizes of a quick run.
const QUICK_SIZES: [usize; 2] = [32, 4096];

/// The forms of calls for a task.
pub type Forms<'a> = Vec<(&'static str, Loop<'a>)>;

/// A way to build filters.
pub trait Maker {
    /// Returns the version of the library.
    fn version(&self) -> String;

    /// Returns loops that build a filter of every `size` keys, and return the bytes of all filters together.
    fn builds<'a>(&'a self, size: usize, keys: Batched<'a>) -> Forms<'a>;

    /// Returns loops that count the keys that may match the filter of other keys.
    fn queries<'a>(&'a self, stored: &[&[u8]], keys: Batched<'a>) -> Forms<'a>;
}

/// A contender's name, and what makes its filters.
pub type Contender<N = &'static str> = (N, Box<dyn Maker>);

/// Filters of `size` keys, and the rounds in which they are measured.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Keys of a filter.
    pub size: usize,
    /// The lengths of the keys.
    pub lengths: KeyLengths,
    /// Rounds.
    pub rounds: u64,
}

/// Measures filters of these sizes with keys of these lengths.
pub fn each_size(
    sizes: &[usize],
    lengths: [KeyLengths; 2],
    is_quick: bool,
    measure: impl Fn(Plan) -> Vec<Batch>,
) -> Vec<Batch> {
    let mut batches = Vec::new();
    for &size in if is_quick { &QUICK_SIZES } else { sizes } {
        let rounds = if is_quick || size > SMALL { 7 } else { 21 };
        for lengths in lengths {
            if lengths == KeyLengths::Fixed || size <= SMALL {
                batches.extend(measure(Plan {
                    size,
                    lengths,
                    rounds,
                }));
            }
        }
    }
    batches
}

/// Measures filters with the same bytes.
pub fn measure_equal(contenders: &[Contender], plan: Plan) -> Vec<Batch> {
    measure(contenders, plan, true, |name, version, task, form| {
        let (lengths, size) = (plan.lengths.name(), plan.size);
        let parameters: [&dyn Display; 5] = [&form, &version, &lengths, &size, &BITS_PER_KEY];
        Some(SUITE.case(name, task, &parameters))
    })
}

/// Measures how long filters take to build, and to query for absent and present keys. `case` names what a contender of
/// this name and version does, by task and form; `None` leaves it out.
///
/// # Panics
///
/// If all must do the same work, and one differs from the first.
pub fn measure<N>(
    contenders: &[Contender<N>],
    plan: Plan,
    is_same_work: bool,
    case: impl Fn(&N, &str, &str, &str) -> Option<Case>,
) -> Vec<Batch> {
    let Plan { size, lengths, .. } = plan;
    eprintln!("{size} {}", lengths.name());
    let mut batches = Vec::new();
    let mut run = |task: &str, calls: usize, forms: Vec<Forms<'_>>| {
        let mut turns = Vec::new();
        for ((name, maker), forms) in contenders.iter().zip(forms) {
            let version = maker.version();
            let named = |(form, run)| Some((case(name, &version, task, form)?, run));
            turns.extend(forms.into_iter().filter_map(named));
        }
        take_turns(plan.rounds, is_same_work, &mut turns, |round, case, ns| {
            batches.push(case.batch(round, calls as u64, ns));
        });
    };
    let stored = keys::stored(size, lengths);
    let slices = stored.slices();
    let (members, keys) = (&slices[..size], stored.batched(&slices));
    let builds = contenders.iter().map(|(_, maker)| maker.builds(size, keys));
    run("build", slices.len(), builds.collect());
    for task in ["absent", "present"] {
        let queried = keys::queries(&stored, size, lengths, task);
        let slices = queried.slices();
        let keys = queried.batched(&slices);
        let queries = contenders.iter().map(|(_, maker)| maker.queries(members, keys));
        run(task, slices.len(), queries.collect());
    }
    batches
}
