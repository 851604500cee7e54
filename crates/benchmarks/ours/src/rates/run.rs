//! Builds and queries the filters of each series.

use std::fmt::Display;

use bench_kit::record::Batch;
use bench_kit::suites::rates::{FEW_BITS, SUITE};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};
use rayon::iter::{ParallelBridge as _, ParallelIterator as _};
use statistics::significant;

use super::kinds::{Series, Value};

/// Seed of the generator of keys.
const SEED: u64 = 1;

/// The extent of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Keys of a filter, each measured at [`FEW_BITS`].
    pub(crate) sizes: &'static [u64],
    /// The sizes that are measured at all of [`Effort::ALL_BITS`].
    pub(crate) swept: &'static [u64],
    /// The least number of keys in all filters of a size, which determines the number of filters.
    pub(crate) members: u64,
    /// The least number of queries of absent keys for a size, if a thousand or more of them match ...
    pub(crate) fewest_probes: u64,
    /// ... and if fewer match.
    pub(crate) most_probes: u64,
}

impl Effort {
    /// Bits per key for the swept sizes.
    pub(crate) const ALL_BITS: std::ops::RangeInclusive<u32> = 4..=24;

    /// 32 keys, typical of LevelDB's blocks, to 20 million.
    pub(crate) const FULL: Self = Self {
        sizes: &[
            32, 100, 320, 1_000, 3_200, 10_000, 32_000, 100_000, 320_000, 1_000_000, 4_000_000, 20_000_000,
        ],
        swept: &[32, 1_000, 1_000_000],
        members: 1_000_000,
        fewest_probes: 1_000_000,
        most_probes: 4_000_000,
    };

    /// A quick check that the suite works.
    pub(crate) const QUICK: Self = Self {
        sizes: &[32, 1_000, 100_000, 1_000_000],
        swept: &[32, 1_000],
        members: 200_000,
        fewest_probes: 200_000,
        most_probes: 500_000,
    };

    fn bits(&self, keys: u64) -> Vec<u32> {
        if self.swept.contains(&keys) {
            Self::ALL_BITS.collect()
        } else {
            FEW_BITS.to_vec()
        }
    }

    /// Returns the number of absent keys to query, over all filters.
    fn probes(&self, bits_per_key: u32) -> u64 {
        // At 14 bits per key even the best filter matches more than one in a thousand.
        if bits_per_key <= 14 {
            self.fewest_probes
        } else {
            self.most_probes
        }
    }
}

/// From this number of keys on, a filter and the values of its keys take a good part of a gigabyte.
const LARGE: u64 = 2_000_000;
/// The most series with such a filter at a time, whatever the number of threads.
const LARGE_AT_ONCE: usize = 2;

/// Measures the rates of the series, sorted by series, keys and bits per key. The rows do not depend on the number of
/// threads.
///
/// # Errors
///
/// If threads or memory are unavailable, or a filter denies a stored key.
pub(super) fn rates(series: &[Series], effort: &Effort) -> Result<Vec<Batch>, String> {
    let (large, small): (Vec<u64>, Vec<u64>) = effort.sizes.iter().partition(|&&keys| keys >= LARGE);
    let mut rows = Vec::new();
    for (sizes, at_once) in [(large, LARGE_AT_ONCE), (small, usize::MAX)] {
        // Largest first, so that the longest tasks do not come last.
        let of_size = |keys| {
            let measured = series
                .iter()
                .enumerate()
                .filter(move |(_, of)| keys <= of.largest());
            measured.map(move |(place, of)| (place, keys, of))
        };
        let tasks: Vec<(usize, u64, &Series)> = sizes.iter().rev().copied().flat_map(of_size).collect();
        eprintln!("filters of {sizes:?} keys");
        let threads = rayon::current_num_threads().min(at_once);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| format!("threads: {error}"))?;
        // Free threads take the tasks in this order.
        let done: Result<Vec<(usize, u64, Vec<Batch>)>, String> = pool.install(|| {
            let tasks = tasks.into_iter().par_bridge();
            tasks
                .map(|(place, keys, of)| Ok((place, keys, measure(of, keys, effort)?)))
                .collect()
        });
        rows.extend(done?);
    }
    rows.sort_by_key(|(place, keys, _)| (*place, *keys));
    Ok(rows.into_iter().flat_map(|(.., rates)| rates).collect())
}

/// Measures the filters of one size at each number of bits per key.
fn measure(series: &Series, keys: u64, effort: &Effort) -> Result<Vec<Batch>, String> {
    let filters = effort.members.div_ceil(keys);
    let all_bits = effort.bits(keys);
    let each = |bits_per_key| effort.probes(bits_per_key).div_ceil(filters) as usize;
    let most = all_bits.iter().map(|&bits| each(bits)).max().unwrap_or(0);

    let hash = series.hasher();
    let mut values = values(series.is_in_a_row, &*hash);
    let members: Vec<Value> = values.by_ref().take((filters * keys) as usize).collect();
    let absent: Vec<Value> = values.take(filters as usize * most).collect();

    let mut rows = Vec::with_capacity(all_bits.len());
    for bits_per_key in all_bits {
        let failed = |reason: String| {
            let name = series.name;
            format!("{name}: a filter of {keys} keys at {bits_per_key} bits per key: {reason}")
        };
        let (mut probes, mut false_positives, mut bytes) = (0, 0, 0);
        let mut rates = [0.0; 2];
        for (members, absent) in members.chunks(keys as usize).zip(absent.chunks(most)) {
            let filter = series.build(bits_per_key, members).map_err(failed)?;
            // The first half only, because a cuckoo filter may refuse the last keys.
            let present = &members[..members.len().div_ceil(2).min(64)];
            if (filter.matching)(present) != present.len() as u64 {
                return Err(failed("it denies a key that it holds".to_owned()));
            }
            // Of the first filter: all are equal.
            if probes == 0 {
                let computed = series.rates(&filter, bits_per_key, keys).map_err(failed)?;
                rates = computed.map(significant::round);
            }
            let asked = &absent[..each(bits_per_key)];
            false_positives += (filter.matching)(asked);
            probes += asked.len() as u64;
            bytes += filter.bytes;
        }
        let key_form = if series.is_in_a_row {
            "numbers-in-a-row"
        } else {
            "random-decimals"
        };
        let bytes = significant::round(bytes as f64 / filters as f64);
        let [ideal, expected] = rates;
        let parameters: [&dyn Display; 8] = [
            &series.scheme(),
            &key_form,
            &bits_per_key,
            &keys,
            &filters,
            &ideal,
            &expected,
            &bytes,
        ];
        let case = SUITE.case(series.name, "rate", &parameters);
        rows.push(case.batch(1, probes, false_positives));
    }
    Ok(rows)
}

/// Returns the values of an endless sequence of distinct keys, of which members are the first: the outputs of SplitMix64
/// in decimal, as in the dataset `random-strings`, or consecutive numbers from 0, with sixteen digits each.
fn values(is_in_a_row: bool, hash: &dyn Fn(&[u8]) -> Value) -> impl Iterator<Item = Value> {
    // The generator returns each number once in its period of 2^64.
    let mut generator = SplitMix64::seed_from_u64(SEED);
    (0_u64..).map(move |number| {
        let key = if is_in_a_row {
            format!("{number:016}")
        } else {
            generator.next_u64().to_string()
        };
        hash(key.as_bytes())
    })
}
