//! Filters and tables by the number of keys.
//!
//! The rate of LevelDB's probe scheme jumps with the exact length of the filter, because start and step of the probes
//! come from one hash value. Each row therefore sums filters of several neighbouring numbers of keys, so that no
//! function is judged by one lucky or unlucky length.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::questions::NearSizesRow;
use crate::questions::filters::measure::{Count, Fold, count, plus};
use crate::questions::filters::{Plan, Probes};
use crate::record::{IDEAL, significant};

/// Measured numbers of keys, if a filter over the whole dataset holds more.
pub const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// Bits per key of the filters of [`SIZES`].
pub const BITS_PER_KEY: u32 = 10;
/// The most absent keys that probe one filter.
const MAX_ASKED: usize = 100_000;
/// The fewest ideal hashes whose counts are summed, unless they would hash more than [`IDEAL_KEYS`] keys.
const IDEALS: u64 = 8;
/// The most keys that the fewest ideal hashes hash.
const IDEAL_KEYS: u64 = 1 << 22;

/// The most neighbouring numbers of keys.
const MAX_NEIGHBOURS: usize = 16;
/// Neighbours together have at most this many keys, unless that leaves fewer than [`MIN_NEIGHBOURS`].
const MAX_KEYS: usize = 1 << 21;
/// The fewest neighbours, if the next numbers are neighbours at all: within one sixteenth.
const MIN_NEIGHBOURS: usize = 4;

/// Returns `keys` and the next smaller numbers, as many as are measured.
pub fn neighbours(keys: usize) -> impl Iterator<Item = usize> {
    let affordable = MAX_KEYS / keys.max(1);
    let count = affordable
        .clamp(MIN_NEIGHBOURS, MAX_NEIGHBOURS)
        .min(keys / 16 + 1);
    (0..count).map(move |fewer| keys - fewer)
}

/// The filters of neighbouring numbers of keys, and a table of the largest number.
#[derive(Debug, Clone, PartialEq)]
struct Near {
    bits_per_key: u32,
    keys: usize,
    /// By number of keys.
    counts: Vec<Count>,
    /// Keys compared per key found, summed over hashes, if asked for.
    compared: Option<f64>,
}

impl Near {
    /// Builds filters of the first keys of each fold, and probes them with absent keys.
    fn of(bits_per_key: u32, keys: usize, folds: &[Fold<'_>]) -> Self {
        let of_number = |keys| {
            let some = folds
                .iter()
                .map(|(built, asked)| (&built[..keys], &asked[..asked.len().min(MAX_ASKED)]));
            count(bits_per_key, some)
        };
        Self {
            bits_per_key,
            keys,
            counts: neighbours(keys).map(of_number).collect(),
            compared: None,
        }
    }

    fn plus(self, other: &Self) -> Self {
        Self {
            counts: plus(self.counts, &other.counts),
            compared: self.compared.zip(other.compared).map(|(one, other)| one + other),
            ..self
        }
    }

    /// Returns the row of sums over `hashes` hashes.
    fn row(&self, dataset: &str, function: &str, hashes: u64) -> NearSizesRow {
        let sum = |index: usize| self.counts.iter().map(|count| count[index]).sum::<u64>();
        let rates = || {
            self.counts
                .iter()
                .map(|&[probes, count]| count as f64 / probes as f64)
        };
        NearSizesRow {
            dataset: dataset.to_owned(),
            function: function.to_owned(),
            bits_per_key: self.bits_per_key,
            keys: self.keys as u64,
            sizes: self.counts.len() as u64,
            probes: sum(0),
            false_positives: sum(1),
            rate: sum(1) as f64 / sum(0) as f64,
            lowest_rate: rates().fold(f64::INFINITY, f64::min),
            highest_rate: rates().fold(0.0, f64::max),
            compared: self.compared.map(|sum| significant::round(sum / hashes as f64)),
        }
    }
}

impl Probes<'_> {
    /// Returns the rows of the ideal hash, which sum several hashes.
    ///
    /// If a filter over the dataset holds half of its keys, the last row is about filters of all of them, over random
    /// values.
    pub fn sizes_ideal(&self) -> Vec<NearSizesRow> {
        let Some(keys) = self.built() else {
            return Vec::new();
        };
        let fewest = (IDEAL_KEYS / keys as u64).clamp(1, IDEALS);
        let hashes = self
            .ideals()
            .div_ceil(neighbours(keys).count() as u64)
            .max(fewest);
        let counted = (0..hashes)
            .into_par_iter()
            .map(|index| self.counted(&self.ideal(index, usize::MAX)))
            .reduce_with(|all, more| {
                all.into_iter()
                    .zip(&more)
                    .map(|(one, more)| one.plus(more))
                    .collect()
            });
        let mut near = self.near(IDEAL, &counted.unwrap_or_default(), hashes);
        let all = self.dataset.keys.len();
        if all > keys {
            near.push(
                self.random(all, fewest)
                    .row(&self.dataset.summary.name, IDEAL, fewest),
            );
        }
        near
    }

    /// Returns the number of keys in a filter over the whole dataset.
    fn built(&self) -> Option<usize> {
        match &self.plan {
            Plan::Nothing => None,
            Plan::Continued { .. } => Some(self.dataset.keys.len()),
            Plan::TwoFold { halves: [first, _] } => Some(first.len()),
        }
    }

    /// Counts matches of random values, which an ideal hash gives to `keys` keys and to absent ones.
    fn random(&self, keys: usize, hashes: u64) -> Near {
        let mut random = ChaCha8Rng::seed_from_u64(self.dataset.seed);
        let mut values = |count: usize| -> Vec<u32> { (0..count).map(|_| random.next_u32()).collect() };
        let hashes: Vec<_> = (0..hashes).map(|_| [values(keys), values(MAX_ASKED)]).collect();
        let folds: Vec<_> = hashes
            .iter()
            .map(|[built, asked]| (&built[..], &asked[..]))
            .collect();
        Near::of(BITS_PER_KEY, keys, &folds)
    }

    /// Returns the rows of one function with these [`values`](Self::values).
    pub fn sizes(&self, function: &str, values: &[Vec<u32>; 2]) -> Vec<NearSizesRow> {
        self.near(function, &self.counted(values), 1)
    }

    fn near(&self, function: &str, all: &[Near], hashes: u64) -> Vec<NearSizesRow> {
        let rows = all
            .iter()
            .map(|near| near.row(&self.dataset.summary.name, function, hashes));
        rows.collect()
    }

    /// Counts one hash: first [`SIZES`], then filters over the whole dataset.
    fn counted(&self, values: &[Vec<u32>; 2]) -> Vec<Near> {
        let Some(whole) = self.built() else {
            return Vec::new();
        };
        let folds = self.folds(values);
        let mut all = Vec::new();
        for keys in SIZES.into_iter().filter(|&keys| keys < whole) {
            all.push(Near {
                compared: Some(comparisons(&values[0][..keys])),
                ..Near::of(BITS_PER_KEY, keys, &folds[..1])
            });
        }
        all.extend(super::BITS_PER_KEY.map(|bits| Near::of(bits, whole, &folds)));
        all
    }
}

/// Returns the mean number of keys compared per key found, in a table that chooses buckets by the low bits. The number
/// of buckets is the largest power of two not above the number of keys.
fn comparisons(values: &[u32]) -> f64 {
    let buckets = 1 << values.len().ilog2();
    let mut counts = vec![0_u64; buckets];
    let mut compared = 0;
    for &value in values {
        let count = &mut counts[value as usize & (buckets - 1)];
        *count += 1;
        compared += *count;
    }
    compared as f64 / values.len() as f64
}
