//! Calibration: measures how often the tests accuse a function that has no defect.
//!
//! SipHash-2-4, with a new key for each seed, stands for a random function. Its alarms are counted in the tests of
//! collisions, distribution, false positives, hash tables and windows of the output on the embedded datasets, of
//! structured keys on their sets, and of avalanche and independence of output bits on drawn keys. All tests run at full
//! size, corrected as in a run of one function.
//!
//! The trials of one row are nearly independent, so the interval of a row is binomial: trials differ in seeds, keys,
//! bits of the values, or sizes of tables and filters. Windows of different widths overlap, so each width has its own
//! row.

mod alarms;
mod bits;
mod keys;

use std::cell::Cell;
use std::hash::Hasher as _;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use siphasher::sip::SipHasher24;

use self::alarms::Alarms;
use self::keys::Asked;
use crate::advice::summarise;
use crate::functions::{self, Function};
use crate::keys::Dataset;
use crate::keys::structured::{self, StructuredSet};
use crate::keys::{self as datasets, DEFAULT_SEED, KeySet};
use crate::questions::mixing::Effort;
use crate::record::{Run, stored};
use records::error::Error;
use records::progress::{Cancelled, Progress, go_on};

/// The significance level of every test, alone and over its file.
pub const LEVEL: f64 = 0.01;
/// The number of seeds of a full calibration.
pub const SEEDS: u64 = 200;

/// The committed calibration.
pub const COMMITTED: &str = include_str!("../../../embedded/calibration.csv");

stored! {
    /// The alarms of one question.
    pub struct CalibrationRow {
        /// The test, named after its file of records, or `run` for all rows of a file together, as a verdict takes
        /// them.
        pub test: String,
        /// The question within it.
        pub question: String,
        /// The claimed maximum share of alarms.
        pub level: f64,
        /// The share that the law of the counts allows: whole numbers rarely have a tail of exactly the level.
        pub attainable: f64,
        /// Number of trials: seeds times the key sets of the question, and twice that for windows at either end of the
        /// values.
        pub trials: u64,
        /// Number of trials in which the keyed hash was called different from a random function.
        pub alarms: u64,
        /// `alarms / trials`.
        pub share: f64,
        /// Lower end of the interval for that share, of 99 % over all rows of the file together.
        pub ci_low: f64,
        /// Upper end of that interval.
        pub ci_high: f64,
        /// Set if the interval begins at or below the level: no more false alarms than claimed were seen.
        pub holds: bool,
    }
}

/// The key sets and effort of a calibration.
#[derive(Debug)]
pub struct Plan {
    /// The number of seeds, counted from 1.
    pub seeds: u64,
    /// Datasets for the tests of real keys.
    pub datasets: Vec<Dataset>,
    /// Structured key sets.
    pub sets: Vec<&'static StructuredSet>,
    /// Keys for avalanche and independence of output bits.
    pub effort: Effort<'static>,
}

impl Plan {
    /// Creates the plan of a full calibration: everything that a comparison without arguments measures.
    ///
    /// # Errors
    ///
    /// Returns an error if an embedded dataset cannot be loaded.
    pub fn full(seeds: u64) -> Result<Self, Error> {
        let datasets = datasets::embedded_names()
            .map(|name| datasets::load_embedded(name, DEFAULT_SEED))
            .collect::<Result<_, _>>()?;
        let sets = structured::ALL.iter().collect();
        Ok(Self {
            seeds,
            datasets,
            sets,
            effort: Effort::RUN,
        })
    }
}

thread_local! {
    /// Both halves of the key that [`keyed`] uses on this thread.
    static KEY: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// Hashes with SipHash-2-4 under the key of this thread.
fn keyed(key: &[u8]) -> u64 {
    let (first, second) = KEY.get();
    let mut hasher = SipHasher24::new_with_keys(first, second);
    hasher.write(key);
    hasher.finish()
}

/// Runs every test on the keyed hash, once for each seed of `plan`, on all processors.
///
/// ChaCha8 draws the keys from the seeds 2^32 + 1, 2^32 + 2, ..., far from the seeds of the ideal hashes in the test of
/// false positives. The result does not depend on the number of threads.
///
/// # Errors
///
/// Returns an error if `progress` requests a stop.
pub fn measure(plan: &Plan, progress: &dyn Progress) -> Result<Vec<CalibrationRow>, Error> {
    Ok(measure_of(keyed, plan, progress)?)
}

/// Measures any 64-bit function that hashes under the key of the thread.
fn measure_of(
    hash: fn(&[u8]) -> u64,
    plan: &Plan,
    progress: &dyn Progress,
) -> Result<Vec<CalibrationRow>, Cancelled> {
    progress.begin("calibration", plan.seeds + 1);
    let function = Function {
        hash,
        output_bits: 64,
        ..*functions::all().first().expect("functions are registered")
    };
    let datasets: Vec<Asked<'_>> = plan
        .datasets
        .iter()
        .map(|dataset| Asked::new(dataset, progress))
        .collect::<Result<_, Cancelled>>()?;
    let sets: Vec<(&StructuredSet, KeySet)> = plan
        .sets
        .iter()
        .map(|&set| (set, set.keys(DEFAULT_SEED)))
        .collect();
    let run = Run {
        datasets: plan
            .datasets
            .iter()
            .map(|dataset| summarise(dataset, 1))
            .collect(),
        functions: vec![function.summary()],
        ..Run::default()
    };
    progress.step();
    let alarms = (1..=plan.seeds)
        .into_par_iter()
        .map(|seed| {
            go_on(progress)?;
            let mut generator = ChaCha8Rng::seed_from_u64((1 << 32) + seed);
            KEY.set((generator.next_u64(), generator.next_u64()));
            let mut alarms = Alarms::of_a_seed();
            let records = keys::real(&function, &run, &datasets, &mut alarms, progress)?;
            keys::structured(&function, &sets, &mut alarms);
            go_on(progress)?;
            bits::count(&function, records, plan.effort, &mut alarms);
            progress.step();
            Ok(alarms)
        })
        .try_reduce(Alarms::default, |one, other| Ok::<_, Cancelled>(one.plus(other)))?;
    Ok(alarms.rows())
}

#[cfg(test)]
mod tests;
