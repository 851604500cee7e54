//! Building and querying filters beside an engine's own policy, of LevelDB and of Parquet, and beside crates with filters of
//! one format, in runs with their own records.
//!
//! Engines in C++ are called through their virtual functions, in a loop over slices made in advance. Keys have 16 bytes,
//! or 4 to 40; those of Parquet are URLs that are allocated separately, in random order, because packed and sorted keys
//! would flatter code that reads ahead. `sbbf-rs` has 10 bits per key and `xorf` fingerprints of 8 bits, both with XXH3
//! of each key. `default` is a policy that chooses its kernel in each call, as programs use it; beside crates, its bytes
//! and answers may differ from theirs. A contender of the same bytes that gives another answer, or any that denies a
//! stored key, ends the run.

use std::fmt::Display;

use terminal::failure::Failure;
use terminal::number::grouped;

use crate::keys::{self, Batched, KeyLengths};
use crate::record::{Batch, Case};
use crate::suite::{Baseline, Suite, Tables};
use crate::turns::{Loop, Run, take_turns};

/// The engines and crates, with which the others are compared.
const ENGINES: &[&str] = &["leveldb", "arrow-rs", "sbbf-rs", "xorf"];

/// Filters in LevelDB's or Parquet's format, split blocks and binary fuse filters.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    rows: "policy",
    contenders: || vec![
        // LevelDB in C++ through virtual functions, and the crate `parquet`.
        ("leveldb", "LevelDB"),
        ("arrow-rs", "arrow-rs"),
        // Crates, with XXH3 of each key.
        ("sbbf-rs", "sbbf-rs"),
        ("xorf", "xorf"),
        // The C functions of `filter-policy-leveldb`.
        ("c-library", "C library"),
        // A policy of `filter-policy`, which chooses the kernel in each call.
        ("default", "default"),
        // The kernels of `filter-policy`.
        ("scalar", "scalar"),
        ("avx2", "AVX2"),
        ("avx512", "AVX-512"),
        ("neon", "NEON"),
    ],
    tasks: &[
        ("build", "build", "ns"),
        ("absent", "query, absent keys", "ns"),
        ("present", "query, present keys", "ns"),
    ],
    // `form`: `one-by-one`, one call per key, which examines the filter anew, of a `dyn FilterPolicy` for policies of this
    // project; `typed`, the same of a policy whose type is known; `prepared`, one call per key on a filter that
    // was prepared once; `slices`, one call for many keys; `packed`, one call for many keys packed in memory.
    parameters: &["form", "version", "key_lengths", "filter_keys", "bits_per_key"],
    properties: &["form", "version"],
    baseline: Baseline::Contender(ENGINES),
    summary: Tables {
        title: "keys of a filter",
        heading: |row| {
            let (task, lengths) = (SUITE.task(row), row.case.get("key_lengths"));
            format!("{task}, keys of {lengths} bytes, {} bits for each", row.case.get("bits_per_key"))
        },
        line: |suite, row| format!("{}, {}", suite.contender(row), row.case.get("form")),
        column: |_, row| grouped(row.case.count("filter_keys")),
        cell: |row, _| {
            if ENGINES.contains(&&*row.case.contender) { format!("{:.1}", row.value) } else { format!("{:.3}", row.over_baseline()) }
        },
        after: |_| "\nThe first line: nanoseconds a key; others: time over the first. Their 95 % intervals are in policy.csv.\n".to_owned(),
        ..Tables::PLAIN
    },
};

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

/// Counts the keys that may match.
pub fn count(slices: &[&[u8]], may_match: impl Fn(&[u8]) -> bool) -> u64 {
    slices.iter().filter(|key| may_match(key)).count() as u64
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
///
/// # Errors
///
/// Those of `measure`.
pub fn each_size(
    run: &Run<'_>,
    sizes: &[usize],
    lengths: &[KeyLengths],
    measure: impl Fn(Plan) -> Result<Vec<Batch>, Failure>,
) -> Result<Vec<Batch>, Failure> {
    let mut batches = Vec::new();
    for &size in run.extent(&QUICK_SIZES[..], sizes) {
        let rounds = if run.is_quick || size > SMALL { 7 } else { 21 };
        for &lengths in lengths {
            if lengths == KeyLengths::Fixed || size <= SMALL {
                batches.extend(measure(Plan {
                    size,
                    lengths,
                    rounds,
                })?);
            }
        }
    }
    Ok(batches)
}

/// Measures filters of one size with the same bytes.
///
/// # Errors
///
/// If the user requested a stop, or a contender does other work than the first.
pub fn measure_equal(run: &Run<'_>, contenders: &[Contender], plan: Plan) -> Result<Vec<Batch>, Failure> {
    measure(run, contenders, plan, true, |name, version, task, form| {
        let (lengths, size) = (plan.lengths.name(), plan.size);
        let parameters: [&dyn Display; 5] = [&form, &version, &lengths, &size, &BITS_PER_KEY];
        Some(SUITE.case(name, task, &parameters))
    })
}

/// Measures how long filters take to build, and to query for absent and present keys. `case` names what a contender of
/// this name and version does, by task and form; `None` leaves it out.
///
/// # Errors
///
/// If the user requested a stop, or all must do the same work and one differs from the first.
pub fn measure<N>(
    run: &Run<'_>,
    contenders: &[Contender<N>],
    plan: Plan,
    is_same_work: bool,
    case: impl Fn(&N, &str, &str, &str) -> Option<Case>,
) -> Result<Vec<Batch>, Failure> {
    let Plan { size, lengths, .. } = plan;
    run.progress.note(&format!("{size} {}", lengths.name()));
    let mut batches = Vec::new();
    let mut each = |task: &str, calls: usize, forms: Vec<Forms<'_>>| {
        let mut turns = Vec::new();
        for ((name, maker), forms) in contenders.iter().zip(forms) {
            let version = maker.version();
            let named = |(form, work)| Some((case(name, &version, task, form)?, work));
            turns.extend(forms.into_iter().filter_map(named));
        }
        take_turns(run, plan.rounds, is_same_work, &mut turns, |round, case, ns| {
            batches.push(case.batch(round, calls as u64, ns));
        })
    };
    let stored = keys::stored(size, lengths);
    let slices = stored.slices();
    let (members, keys) = (&slices[..size], stored.batched(&slices));
    let builds = contenders.iter().map(|(_, maker)| maker.builds(size, keys));
    each("build", slices.len(), builds.collect())?;
    for task in ["absent", "present"] {
        let queried = keys::queries(&stored, size, lengths, task);
        let slices = queried.slices();
        let keys = queried.batched(&slices);
        let queries = contenders.iter().map(|(_, maker)| maker.queries(members, keys));
        each(task, slices.len(), queries.collect())?;
    }
    Ok(batches)
}

#[cfg(test)]
pub(crate) mod tests {
    use filter_policy::kernels::Kernel;
    use terminal::progress::Silent;

    use super::*;

    /// Checks that each of so many peers and each kernel has rows. A contender that does other work than the first is an
    /// error.
    pub(crate) fn check_all_take_part(contenders: &[Contender], peers: usize, lengths: KeyLengths) {
        let run = Run {
            is_quick: true,
            progress: &Silent,
        };
        let plan = Plan {
            size: 600,
            lengths,
            rounds: 2,
        };
        let rows = SUITE
            .rows(&measure_equal(&run, contenders, plan).unwrap())
            .unwrap();
        // Ours have three forms of both queries, and a fourth if the type is known.
        let typed = contenders.iter().filter(|(name, _)| *name == "default").count();
        assert_eq!(
            rows.len(),
            peers * 3 + (contenders.len() - peers) * (1 + 2 * 3) + typed * 2
        );
        assert!(
            rows.iter()
                .all(|row| row.value > 0.0 && !row.case.get("version").is_empty())
        );
    }

    #[test]
    fn every_kernel_has_a_name_in_the_records() {
        let contenders = (SUITE.contenders)();
        let is_named = |kernel: &Kernel| contenders.iter().any(|(name, _)| *name == kernel.name());
        let kernels = [Kernel::Scalar, Kernel::Avx2, Kernel::Avx512, Kernel::Neon];
        let mut kernels = kernels.into_iter().chain(Kernel::available());
        assert!(kernels.all(|kernel| is_named(&kernel)), "{contenders:?}");
    }
}
