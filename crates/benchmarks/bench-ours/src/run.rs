//! Builds and queries the filters of each series.

use std::fmt::Display;

use bench_kit::policies::keys::Keys;
use bench_kit::record::Batch;
use bench_kit::suites::rates::{FEW_BITS, SUITE};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use statistics::significant;

use crate::kinds::{Failed, Series};

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

    fn bits(&self, keys: u64) -> impl Iterator<Item = u32> {
        let is_swept = self.swept.contains(&keys);
        Self::ALL_BITS.filter(move |bits| is_swept || FEW_BITS.contains(bits))
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

/// Measures the rates of the series by keys, series and bits per key. The batches do not depend on the number of
/// threads.
///
/// # Errors
///
/// If there is no memory for a filter, or a filter denies a stored key.
pub(super) fn rates(series: &[Series], effort: &Effort) -> Result<Vec<Batch>, Failed> {
    let mut batches = Vec::new();
    for &size in effort.sizes {
        eprintln!("filters of {size} keys");
        // All series have the same keys: the outputs of SplitMix64, which differ, in decimal, as in the dataset
        // `random-strings`.
        let filters = effort.members.div_ceil(size);
        let count = filters * (size + effort.most_probes.div_ceil(filters));
        let mut keys = Keys::default();
        let numbers = bench_kit::random(SEED).take(count as usize);
        numbers.for_each(|number| keys.push(number.to_string().as_bytes()));
        let keys = keys.slices();
        let measured = series.par_iter().map(|one| measure(one, size, &keys, effort));
        batches.extend(measured.collect::<Result<Vec<_>, Failed>>()?);
    }
    Ok(batches.concat())
}

/// Measures the filters of one size at each number of bits per key. Members are the first keys.
fn measure(series: &Series, size: u64, keys: &[&[u8]], effort: &Effort) -> Result<Vec<Batch>, Failed> {
    let name = series.name;
    let filters = effort.members.div_ceil(size);
    let each = |probes: u64| probes.div_ceil(filters) as usize;
    let (members, absent) = keys.split_at((filters * size) as usize);
    let mut batches = Vec::new();
    for bits_per_key in effort.bits(size) {
        let (mut probes, mut false_positives, mut bytes) = (0, 0, 0);
        let mut rates = [0.0; 2];
        let absent = absent.chunks(each(effort.most_probes));
        for (members, absent) in members.chunks(size as usize).zip(absent) {
            let filter = (series.build)(bits_per_key, members)?;
            // The first half only, because a cuckoo filter may refuse the last keys.
            let present = &members[..members.len().div_ceil(2).min(64)];
            if (filter.matching)(present) != present.len() as u64 {
                let what = format!("{name}: a filter of {size} keys at {bits_per_key} bits per key");
                return Err(format!("{what} denies a stored key").into());
            }
            // Of the first filter: all are equal.
            if probes == 0 {
                rates = series.rates(&filter, bits_per_key, size)?.map(significant::round);
            }
            let queried = &absent[..each(effort.probes(bits_per_key))];
            false_positives += (filter.matching)(queried);
            probes += queried.len() as u64;
            bytes += filter.bytes;
        }
        let bytes = significant::round(bytes as f64 / filters as f64);
        let [ideal, expected] = rates;
        let parameters: [&dyn Display; 6] = [&bits_per_key, &size, &filters, &ideal, &expected, &bytes];
        let case = SUITE.case(name, "rate", &parameters);
        batches.push(case.batch(1, probes, false_positives));
    }
    Ok(batches)
}
