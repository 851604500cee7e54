//! Builds and queries the filters of each series.

use std::fmt::Display;

use bench_kit::record::Batch;
use bench_kit::suites::rates::{FEW_BITS, SUITE};
use rayon::iter::{ParallelBridge as _, ParallelIterator as _};
use records::progress::{Progress, go_on};
use statistics::significant;

use super::SEED;
use super::keys::Keys;
use super::kinds::{self, Value};
use super::series::Series;

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

/// Measures the rates of the series, sorted by series, keys and bits per key.
///
/// The rows do not depend on the number of threads. At most two filters of millions of keys are in memory at a time.
///
/// # Errors
///
/// If `progress` asks to stop, threads or memory are unavailable, a function is unknown or fails its known answers, or
/// a filter denies a stored key.
pub(crate) fn rates(
    series: &[Series],
    effort: &Effort,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<Batch>, String> {
    let (large, small): (Vec<u64>, Vec<u64>) = effort.sizes.iter().partition(|&&keys| keys >= LARGE);
    let mut rows = Vec::new();
    for (phase, sizes, threads) in [
        ("filters of millions of keys", large, threads.min(LARGE_AT_ONCE)),
        ("smaller filters", small, threads),
    ] {
        if sizes.is_empty() {
            continue;
        }
        // Largest first, so that the longest tasks do not come last.
        let tasks: Vec<(usize, &Series, Task<'_>)> = sizes
            .iter()
            .rev()
            .flat_map(|&keys| {
                let measured = move |(_, of): &(usize, &Series)| keys <= of.largest();
                let task = move |(place, of)| {
                    (
                        place,
                        of,
                        Task {
                            effort,
                            keys,
                            progress,
                        },
                    )
                };
                series.iter().enumerate().filter(measured).map(task)
            })
            .collect();
        progress.begin(phase, tasks.len() as u64);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.max(1))
            .build();
        let pool = pool.map_err(|error| format!("threads: {error}"))?;
        let done: Result<Vec<(usize, Vec<Batch>)>, String> = pool.install(|| {
            // Free threads take the tasks in this order.
            tasks
                .into_iter()
                .par_bridge()
                .map(|(place, of, task)| {
                    let rates = task.measure(of)?;
                    progress.step();
                    Ok((place, rates))
                })
                .collect()
        });
        rows.extend(done?);
    }
    rows.sort_by_key(|(place, rates)| (*place, rates.first().map(|batch| batch.case.count("keys"))));
    Ok(rows.into_iter().flat_map(|(_, rates)| rates).collect())
}

/// The measurement of a series at one size.
#[derive(Clone, Copy)]
struct Task<'a> {
    effort: &'a Effort,
    keys: u64,
    progress: &'a dyn Progress,
}

impl Task<'_> {
    /// Measures the filters of one size at each number of bits per key.
    fn measure(&self, series: &Series) -> Result<Vec<Batch>, String> {
        let kind = kinds::of(series)?;
        let (effort, keys, progress) = (self.effort, self.keys, self.progress);
        let filters = effort.members.div_ceil(keys);
        let all_bits = effort.bits(keys);
        let each = |bits_per_key| effort.probes(bits_per_key).div_ceil(filters) as usize;
        let most = all_bits.iter().map(|&bits| each(bits)).max().unwrap_or(0);

        go_on(progress).map_err(|cancelled| cancelled.to_string())?;
        let mut source = Keys::new(series.is_in_a_row, SEED);
        let mut values = |count: usize| -> Vec<Value> {
            let mut values = Vec::with_capacity(count);
            values.extend(source.by_ref().take(count).map(|key| (kind.value)(key.bytes())));
            values
        };
        let members = values((filters * keys) as usize);
        let absent = values(filters as usize * most);

        let mut rows = Vec::with_capacity(all_bits.len());
        for bits_per_key in all_bits {
            let failed = |reason: String| {
                let name = series.name;
                format!("{name}: a filter of {keys} keys at {bits_per_key} bits per key: {reason}")
            };
            let (mut probes, mut false_positives, mut bytes) = (0, 0, 0);
            let mut rates = None;
            for (members, absent) in members.chunks(keys as usize).zip(absent.chunks(most)) {
                go_on(progress).map_err(|cancelled| cancelled.to_string())?;
                let filter = (kind.build)(bits_per_key, members).map_err(failed)?;
                // The first half only, because a cuckoo filter may refuse the last keys.
                let present = &members[..members.len().div_ceil(2).min(64)];
                if (filter.matching)(present) != present.len() as u64 {
                    return Err(failed("it denies a key that it holds".to_owned()));
                }
                let asked = &absent[..each(bits_per_key)];
                false_positives += (filter.matching)(asked);
                probes += asked.len() as u64;
                bytes += filter.bytes;
                if rates.is_none() {
                    rates = Some((filter.rates)().map_err(failed)?);
                }
            }
            let Some(rates) = rates else {
                return Err(failed("there is none".to_owned()));
            };
            let key_form = if series.is_in_a_row {
                "numbers-in-a-row"
            } else {
                "random-decimals"
            };
            let bytes = significant::round(bytes as f64 / filters as f64);
            let [ideal, expected] = rates.map(significant::round);
            let parameters: [&dyn Display; 8] = [
                &series.scheme,
                &key_form,
                &bits_per_key,
                &keys,
                &filters,
                &ideal,
                &expected,
                &bytes,
            ];
            rows.push(
                SUITE
                    .case(series.name, "rate", &parameters)
                    .batch(1, probes, false_positives),
            );
        }
        Ok(rows)
    }
}
