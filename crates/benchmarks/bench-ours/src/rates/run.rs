//! Builds and queries the filters of each series.

use std::fmt::Display;

use bench_kit::policies::keys::Keys;
use bench_kit::record::Batch;
use bench_kit::suites::rates::{FEW_BITS, SUITE};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};
use rayon::iter::{IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};
use statistics::significant;

use super::kinds::Series;

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

/// Measures the rates of the series, sorted by series, keys and bits per key. The rows do not depend on the number of
/// threads.
///
/// # Errors
///
/// If there is no memory for a filter, or a filter denies a stored key.
pub(super) fn rates(series: &[Series], effort: &Effort) -> Result<Vec<Batch>, String> {
    let mut rows = Vec::new();
    for &size in effort.sizes {
        eprintln!("filters of {size} keys");
        // All series have the same keys.
        let filters = effort.members.div_ceil(size);
        let keys = keys(filters * (size + effort.most_probes.div_ceil(filters)));
        let keys: Vec<&[u8]> = keys.iter().collect();
        let measured = series.par_iter().enumerate();
        let measured = measured.map(|(place, of)| Ok((place, measure(of, size, &keys, effort)?)));
        rows.extend(measured.collect::<Result<Vec<_>, String>>()?);
    }
    // The sizes stay in order.
    rows.sort_by_key(|(place, _)| *place);
    Ok(rows.into_iter().flat_map(|(_, rates)| rates).collect())
}

/// Measures the filters of one size at each number of bits per key.
fn measure(series: &Series, size: u64, keys: &[&[u8]], effort: &Effort) -> Result<Vec<Batch>, String> {
    let filters = effort.members.div_ceil(size);
    let each = |probes: u64| probes.div_ceil(filters) as usize;
    let (members, absent) = keys.split_at((filters * size) as usize);
    let all_bits = effort.bits(size);
    let mut rows = Vec::with_capacity(all_bits.len());
    for bits_per_key in all_bits {
        let failed = |reason: String| {
            let name = series.name;
            format!("{name}: a filter of {size} keys at {bits_per_key} bits per key: {reason}")
        };
        let (mut probes, mut false_positives, mut bytes) = (0, 0, 0);
        let mut rates = [0.0; 2];
        for (members, absent) in members
            .chunks(size as usize)
            .zip(absent.chunks(each(effort.most_probes)))
        {
            let filter = series.build(bits_per_key, members).map_err(failed)?;
            // The first half only, because a cuckoo filter may refuse the last keys.
            let present = &members[..members.len().div_ceil(2).min(64)];
            if (filter.matching)(present) != present.len() as u64 {
                return Err(failed("it denies a key that it holds".to_owned()));
            }
            // Of the first filter: all are equal.
            if probes == 0 {
                let computed = series.rates(&filter, bits_per_key, size).map_err(failed)?;
                rates = computed.map(significant::round);
            }
            let asked = &absent[..each(effort.probes(bits_per_key))];
            false_positives += (filter.matching)(asked);
            probes += asked.len() as u64;
            bytes += filter.bytes;
        }
        let bytes = significant::round(bytes as f64 / filters as f64);
        let [ideal, expected] = rates;
        let parameters: [&dyn Display; 6] = [&bits_per_key, &size, &filters, &ideal, &expected, &bytes];
        let case = SUITE.case(series.name, "rate", &parameters);
        rows.push(case.batch(1, probes, false_positives));
    }
    Ok(rows)
}

/// Returns different keys, of which members are the first: the outputs of SplitMix64 in decimal, as in the dataset
/// `random-strings`.
fn keys(count: u64) -> Keys {
    // The generator returns each number once in its period of 2^64.
    let mut generator = SplitMix64::seed_from_u64(SEED);
    let mut keys = Keys::default();
    for _ in 0..count {
        keys.push(generator.next_u64().to_string().as_bytes());
    }
    keys
}
