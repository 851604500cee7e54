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
mod rates;
mod tests_of;

use std::cell::Cell;
use std::hash::Hasher as _;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use siphasher::sip::SipHasher24;

use self::alarms::Alarms;
use self::tests_of::Prepared;
use hash_comparison::advice::calibration::CalibrationRow;
use hash_comparison::functions::Function;
use hash_comparison::keys::{DEFAULT_SEED, Dataset, embedded_names, load_embedded, structured};
use hash_comparison::questions::mixing::{EFFORT, Effort};
use hash_comparison::record::Run;

/// The significance level of every test, alone and over its file.
const LEVEL: f64 = 0.01;
/// The number of seeds of the committed calibration.
const SEEDS: u64 = 200;

/// The key sets and effort of a calibration.
struct Plan {
    /// The number of seeds, counted from 1.
    seeds: u64,
    /// Datasets for the tests of real keys.
    datasets: Vec<Dataset>,
    structured: Vec<Dataset>,
    /// Keys for avalanche and independence of output bits.
    effort: Effort<'static>,
}

impl Plan {
    /// Creates the plan of the committed calibration: everything that a comparison without arguments measures.
    fn full() -> Self {
        let load = |name| load_embedded(name, DEFAULT_SEED).unwrap();
        Self {
            seeds: SEEDS,
            datasets: embedded_names().map(load).collect(),
            structured: structured::datasets(DEFAULT_SEED),
            effort: EFFORT,
        }
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

/// Runs every test on a 64-bit function that hashes under the key of the thread, once for each seed of `plan`, on all
/// processors.
///
/// ChaCha8 draws the keys from the seeds 2^32 + 1, 2^32 + 2, ..., far from the seeds of the ideal hashes in the test of
/// false positives. The result does not depend on the number of threads.
fn measure(hash: fn(&[u8]) -> u64, plan: &Plan) -> Vec<CalibrationRow> {
    let function = Function::custom("keyed", 64, hash, &[]);
    let datasets: Vec<Prepared<'_>> = plan.datasets.iter().map(Prepared::new).collect();
    let run = Run {
        datasets: plan.datasets.iter().map(|set| set.summary.clone()).collect(),
        functions: vec![function.facts.clone()],
        ..Run::default()
    };
    let of_seed = |seed| {
        let mut generator = ChaCha8Rng::seed_from_u64((1 << 32) + seed);
        KEY.set((generator.next_u64(), generator.next_u64()));
        let mut alarms = Alarms::of_a_seed();
        let records = tests_of::judged(&function, &run, &datasets, &plan.structured, plan.effort);
        tests_of::count(&records, &function, &datasets, &mut alarms);
        alarms
    };
    let alarms = (1..=plan.seeds).into_par_iter().map(of_seed);
    alarms.reduce(Alarms::default, Alarms::plus).rows()
}
