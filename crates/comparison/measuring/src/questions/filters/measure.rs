//! False positives: each function inside the real filter policy.
//!
//! A filter is built from some keys and probed with others. For generated sets, the keys drawn next are absent. Other
//! sets are split in two by a shuffle, the same for every seed of a run, and the filter of each half is probed with the
//! other half. A filter holds at most [`MAX_FILTER_KEYS`] keys, so of a large set two samples take the place of the halves.
//!
//! Every function is compared with an ideal hash in the same filter, whose rate must be known better than from one
//! filter: its row sums the filters of many hashes with different keys ([`Probes::measure_ideal`]).
//!
//! The rate of LevelDB's probe scheme jumps with the exact length of the filter, because start and step of the probes
//! come from one hash value. A second file of rows therefore sums filters of several neighbouring numbers of keys, so
//! that no function is judged by one lucky or unlucky length ([`Probes::of_function`]).
//!
//! LevelDB's filter takes 32 bits of a value. Values of 64 bits are counted in Parquet's filter, too, which takes all of them
//! ([`Probes::of_split_blocks`]). Its rate does not jump, so that one size is enough.

use filter_policy::leveldb::Murmur2;
use filter_policy::parquet::ParquetPolicy;
use filter_policy::sizing::Textbook;
use filter_policy::{
    Answers, BitsPerKey, BloomFilterPolicy, FilterPolicy as _, Format, KeyHashes, Policy, leveldb,
};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use siphasher::sip::SipHasher24;

use crate::keys::{DEFAULT_SEED, Dataset, KeySet, shuffled};
use crate::questions::Hashed;
use crate::questions::{FalsePositiveRow, NearSizesRow};
use crate::record::{IDEAL, significant};
use statistics::binomial;
use terminal::progress::{Cancelled, Progress, go_on};

/// Bits per key of the measured filters.
pub const BITS_PER_KEY: [u32; 3] = [10, 15, 20];
/// Bits per key of the filters of [`SIZES`], and of those that stand for all.
pub const USUAL_BITS: u32 = BITS_PER_KEY[0];

/// Absent keys that probe the filters over generated sets.
pub const ABSENT: usize = 1_000_000;

/// The fewest probes of the ideal hash.
pub const IDEAL_PROBES: u64 = 1_000_000;

/// The most ideal hashes: this many reduce the scatter of the ideal's counts to a hundredth of one function's.
pub const MAX_IDEALS: u64 = 1 << 14;

/// The most bytes of keys that ideal hashes read over a set that is not generated: a second of work at most. Otherwise
/// a few long keys would be read hundreds of thousands of times.
pub const IDEAL_BYTES: u64 = 256 << 20;

/// Ideal hashes over a generated set. One hash has enough probes, but a filter of few keys may by chance be fuller than
/// others, which no number of probes averages out.
pub const IDEALS_OF_GENERATED: u64 = 4;

/// The most keys of a filter, drawn from a larger dataset: engines build a filter for a file or a block. The rates of more keys are
/// calculated.
pub const MAX_FILTER_KEYS: usize = 1_000_000;

/// Measured numbers of keys, if the largest filter holds more.
pub const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// The most absent keys that probe one filter.
const MAX_PROBES: usize = 100_000;
/// The fewest ideal hashes whose counts are summed, unless they would hash more than [`IDEAL_KEYS`] keys.
const IDEALS: u64 = 8;
/// The most keys that the fewest ideal hashes hash.
const IDEAL_KEYS: u64 = 1 << 22;

/// The most neighbouring numbers of keys.
const MAX_NEIGHBOURS: usize = 16;
/// Neighbours together have at most this many keys, unless that leaves fewer than [`MIN_NEIGHBOURS`].
const NEIGHBOURS_KEYS: usize = 1 << 21;
/// The fewest neighbours, if the next numbers are neighbours at all: within one sixteenth.
const MIN_NEIGHBOURS: usize = 4;

/// Confidence of the interval in a row.
pub const INTERVAL_LEVEL: f64 = 0.95;

/// The keys of a dataset that go into filters, and the keys that probe the filters.
#[derive(Debug, Clone)]
pub struct Probes<'a> {
    dataset: &'a Dataset,
    /// The seed of the shuffle and of the ideal hashes.
    seed: u64,
    /// The keys in a filter; none if there are too few keys for a filter and an absent key.
    built: Sample,
    absent: Absent,
}

/// The keys that probe a filter.
#[derive(Debug, Clone)]
enum Absent {
    /// Those drawn after the keys of the dataset.
    Drawn(KeySet),
    /// These, as many as the filter holds: both take turns.
    OtherHalf(Sample),
}

/// Keys of a dataset in an order of their own. They are read in the order of the dataset, since memory is slow in any other.
#[derive(Debug, Clone)]
struct Sample {
    /// The index of each key in the dataset, in ascending order, and its place in the sample's order.
    places: Vec<(u32, u32)>,
}

impl Sample {
    /// Creates a sample of the keys with these indices, in this order.
    fn of(indices: impl IntoIterator<Item = u32>) -> Self {
        let mut places: Vec<_> = indices.into_iter().zip(0..).collect();
        places.par_sort_unstable();
        Self { places }
    }

    fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns the value of each key, in the order of the sample: `of` takes the index of a key in the dataset.
    fn values(&self, of: impl Fn(usize) -> u64) -> Vec<u64> {
        let mut values = vec![0; self.len()];
        for &(index, place) in &self.places {
            values[place as usize] = of(index as usize);
        }
        values
    }
}

impl<'a> Probes<'a> {
    /// Draws the absent keys of a generated dataset, or splits any other dataset in two.
    ///
    /// The seed of a run draws generated keys and nothing else here: the verdict on keys must not depend on it.
    pub fn new(dataset: &'a Dataset) -> Self {
        let seed = if dataset.recipe.is_some() {
            dataset.seed
        } else {
            DEFAULT_SEED
        };
        Self::drawn(dataset, seed)
    }

    /// Draws filters and ideal hashes by this seed.
    ///
    /// A filter holds at most [`MAX_FILTER_KEYS`] keys, the first in shuffled order, or the first of a generated dataset. If the number of
    /// keys is odd, the last in shuffled order is left out, so that both filters have the same size. Fewer than two keys give
    /// no rows.
    pub fn drawn(dataset: &'a Dataset, seed: u64) -> Self {
        let count = dataset.keys.len();
        let (built, absent) = if let Some(recipe) = dataset.recipe.filter(|_| count >= 2) {
            let drawn = recipe.keys_after(dataset.seed, count, ABSENT);
            let built = Sample::of(0..count.min(MAX_FILTER_KEYS) as u32);
            (built, Absent::Drawn(drawn))
        } else {
            let half = (count / 2).min(MAX_FILTER_KEYS);
            let order = shuffled(count as u32, seed);
            let [first, second] = [&order[..half], &order[half..2 * half]];
            let [first, second] = [first, second].map(|half| Sample::of(half.iter().copied()));
            (first, Absent::OtherHalf(second))
        };
        Self {
            dataset,
            seed,
            built,
            absent,
        }
    }

    /// Returns the values of the keys in a filter and of the keys that probe the filter.
    ///
    /// # Panics
    ///
    /// Panics if `hashed` is not of the keys of the dataset.
    pub fn values(&self, hashed: &Hashed<'_>) -> [Vec<u64>; 2] {
        let values = &hashed.values;
        assert_eq!(values.len(), self.dataset.keys.len(), "values of other keys");
        self.parts(|index| values[index], hashed.function.hash)
    }

    /// Returns the hash values of present and of absent keys: `of` takes the index of a key in the dataset, `hash` an
    /// absent key.
    fn parts(&self, of: impl Fn(usize) -> u64, hash: impl Fn(&[u8]) -> u64) -> [Vec<u64>; 2] {
        let absent = match &self.absent {
            Absent::Drawn(keys) => keys.iter().map(hash).collect(),
            Absent::OtherHalf(sample) => sample.values(&of),
        };
        [self.built.values(&of), absent]
    }

    /// Returns the values in each of the largest filters, and those that probe it.
    fn folds<'v, H>(&self, [first, second]: &'v [Vec<H>; 2]) -> Vec<Fold<'v, H>> {
        match &self.absent {
            Absent::Drawn(_) => vec![(first, second)],
            Absent::OtherHalf(_) => vec![(first, second), (second, first)],
        }
    }

    /// Returns the rows of the function [`IDEAL`], one for each of [`BITS_PER_KEY`]: the rates of this probe scheme
    /// with a hash that has no defect.
    ///
    /// Counts and probes are sums over hashes with different keys, drawn by the seed of the probes:
    /// [`IDEALS_OF_GENERATED`] hashes over a generated set, else enough for [`IDEAL_PROBES`], but at most
    /// [`MAX_IDEALS`], no more than [`IDEAL_BYTES`] allow for long keys, and at least one.
    pub fn measure_ideal(&self, progress: &dyn Progress) -> Result<Vec<FalsePositiveRow>, Cancelled> {
        let counts = self.over_ideals(self.ideals(), |values| self.exact(&low(&values), progress))?;
        Ok(self.rows(IDEAL, &counts))
    }

    /// Returns the number of hashes for the row of the ideal hash.
    fn ideals(&self) -> u64 {
        match &self.absent {
            Absent::Drawn(_) => IDEALS_OF_GENERATED,
            Absent::OtherHalf(half) if half.len() == 0 => 0,
            Absent::OtherHalf(half) => {
                let wanted = IDEAL_PROBES.div_ceil(2 * half.len() as u64);
                let affordable = IDEAL_BYTES / (self.dataset.keys.total_bytes() as u64).max(1);
                wanted.min(MAX_IDEALS).min(affordable.max(1))
            }
        }
    }

    /// Sums the counts of `hashes` ideal hashes.
    fn over_ideals(
        &self,
        hashes: u64,
        count: impl Fn([Vec<u64>; 2]) -> Result<Vec<Near>, Cancelled> + Sync,
    ) -> Result<Vec<Near>, Cancelled> {
        let of_hash = |index| {
            let ideal = ideal(self.seed, index);
            let hash = |key: &[u8]| ideal.hash(key);
            count(self.parts(|index| hash(self.dataset.keys.get(index)), hash))
        };
        let plus = |all: Vec<Near>, more: Vec<Near>| {
            let sums = all.into_iter().zip(&more).map(|(one, more)| one.plus(more));
            Ok(sums.collect())
        };
        let counts = (0..hashes).into_par_iter().map(of_hash).try_reduce_with(plus);
        counts.unwrap_or(Ok(Vec::new()))
    }

    /// Returns the rows of a function with these [`values`](Self::values): by the number of keys, and one for each of
    /// [`BITS_PER_KEY`].
    pub fn of_function(
        &self,
        function: &str,
        values: &[Vec<u64>; 2],
        progress: &dyn Progress,
    ) -> Result<(Vec<NearSizesRow>, Vec<FalsePositiveRow>), Cancelled> {
        let near = self.near(&low(values), progress)?;
        let whole = &near[near.len().saturating_sub(BITS_PER_KEY.len())..];
        Ok((self.size_rows(function, &near, 1), self.rows(function, whole)))
    }

    /// Returns the rows of a function of 64 bits with these [`values`](Self::values) in Parquet's filter, one for each of
    /// [`BITS_PER_KEY`].
    pub fn of_split_blocks(
        &self,
        function: &str,
        values: &[Vec<u64>; 2],
        progress: &dyn Progress,
    ) -> Result<Vec<NearSizesRow>, Cancelled> {
        Ok(self.size_rows(function, &self.blocks(values, progress)?, 1))
    }

    /// Returns the rows of the ideal hash in Parquet's filter, which sum several hashes.
    pub fn split_blocks_ideal(&self, progress: &dyn Progress) -> Result<Vec<NearSizesRow>, Cancelled> {
        let hashes = self.ideals().max(IDEALS);
        let counted = self.over_ideals(hashes, |values| self.blocks(&values, progress))?;
        Ok(self.size_rows(IDEAL, &counted, hashes))
    }

    /// Counts at each of [`BITS_PER_KEY`] in Parquet's filters.
    fn blocks(&self, values: &[Vec<u64>; 2], progress: &dyn Progress) -> Result<Vec<Near>, Cancelled> {
        let (whole, folds) = (self.built.len(), self.folds(values));
        let bits = BITS_PER_KEY.into_iter().filter(|_| whole > 0);
        let of = |bits_per_key| {
            let policy = ParquetPolicy::new(BitsPerKey::whole(bits_per_key));
            Near::of(&policy, bits_per_key, [whole], usize::MAX, &folds, progress)
        };
        bits.map(of).collect()
    }

    /// Counts at each of [`BITS_PER_KEY`] in the largest filters.
    fn exact(&self, values: &[Vec<u32>; 2], progress: &dyn Progress) -> Result<Vec<Near>, Cancelled> {
        let (whole, folds) = (self.built.len(), self.folds(values));
        let of = |bits| Near::of(&level_db(bits), bits, [whole], 0, &folds, progress);
        BITS_PER_KEY.into_iter().map(of).collect()
    }

    fn rows(&self, function: &str, counts: &[Near]) -> Vec<FalsePositiveRow> {
        if self.built.len() == 0 {
            return Vec::new();
        }
        let lengths =
            (self.built.places.iter()).map(|&(index, _)| self.dataset.keys.get(index as usize).len());
        let (keys, raw_bytes) = (self.built.len(), lengths.sum::<usize>());
        let row = |near: &Near| {
            let (bits_per_key, [probes, false_positives]) = (near.bits_per_key, near.all);
            let filter_bytes = (level_db(bits_per_key).max_filter_len(keys))
                .expect("a filter takes less room than the values it is built from");
            let (ci_low, ci_high) = binomial::proportion_interval(false_positives, probes, INTERVAL_LEVEL);
            FalsePositiveRow {
                dataset: self.dataset.summary.name.clone(),
                function: function.to_owned(),
                bits_per_key,
                keys: keys as u64,
                probes,
                false_positives,
                rate: false_positives as f64 / probes as f64,
                ci_low,
                ci_high,
                theory: theory(filter_bytes, keys, bits_per_key),
                raw_bytes: raw_bytes as u64,
                filter_bytes: filter_bytes as u64,
                // A half may hold only the empty key, which has no bytes to save.
                saved: 1.0 - filter_bytes as f64 / raw_bytes.max(1) as f64,
            }
        };
        counts.iter().map(row).collect()
    }

    /// Returns the rows of the ideal hash by the number of keys, which sum several hashes.
    ///
    /// If a filter holds half of the keys but could hold all of them, the last row is about filters of all, over random values.
    pub fn sizes_ideal(&self, progress: &dyn Progress) -> Result<Vec<NearSizesRow>, Cancelled> {
        let keys = self.built.len();
        if keys == 0 {
            return Ok(Vec::new());
        }
        let fewest = (IDEAL_KEYS / keys as u64).clamp(1, IDEALS);
        let hashes = self.ideals().div_ceil(neighbours(keys).count() as u64);
        let hashes = hashes.max(fewest);
        let counted = self.over_ideals(hashes, |values| self.near(&low(&values), progress))?;
        let mut rows = self.size_rows(IDEAL, &counted, hashes);
        let all = self.dataset.keys.len();
        if (keys + 1..=MAX_FILTER_KEYS).contains(&all) {
            rows.extend(self.size_rows(IDEAL, &[self.random(all, fewest, progress)?], fewest));
        }
        Ok(rows)
    }

    /// Counts matches of random values, which an ideal hash gives to `keys` keys and to absent ones.
    fn random(&self, keys: usize, hashes: u64, progress: &dyn Progress) -> Result<Near, Cancelled> {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let mut values = |count: usize| -> Vec<u32> { (0..count).map(|_| random.next_u32()).collect() };
        let hashes: Vec<_> = (0..hashes).map(|_| [values(keys), values(MAX_PROBES)]).collect();
        let folds = hashes.iter().map(|[built, absent]| (&built[..], &absent[..]));
        Near::of(
            &level_db(USUAL_BITS),
            USUAL_BITS,
            neighbours(keys),
            MAX_PROBES,
            &folds.collect::<Vec<_>>(),
            progress,
        )
    }

    /// Counts one hash: first [`SIZES`], then the largest filters.
    fn near(&self, values: &[Vec<u32>; 2], progress: &dyn Progress) -> Result<Vec<Near>, Cancelled> {
        let whole = self.built.len();
        if whole == 0 {
            return Ok(Vec::new());
        }
        let folds = self.folds(values);
        let (first, absent) = folds[0];
        let few = [(first, &absent[..absent.len().min(MAX_PROBES)])];
        let of = |bits, keys, folds: &[_]| {
            Near::of(
                &level_db(bits),
                bits,
                neighbours(keys),
                MAX_PROBES,
                folds,
                progress,
            )
        };
        let sizes = SIZES.into_iter().filter(|&keys| keys < whole);
        let sizes = sizes.map(|keys| {
            Ok(Near {
                compared: Some(comparisons(&first[..keys])),
                ..of(USUAL_BITS, keys, &few)?
            })
        });
        let of_whole = BITS_PER_KEY.into_iter().map(|bits| of(bits, whole, &folds));
        sizes.chain(of_whole).collect()
    }

    /// Returns the rows of sums over `hashes` hashes.
    fn size_rows(&self, function: &str, all: &[Near], hashes: u64) -> Vec<NearSizesRow> {
        let row = |near: &Near| {
            let [probes, false_positives] = near.sum();
            let rates = near
                .counts
                .iter()
                .map(|&[probes, count]| count as f64 / probes as f64);
            NearSizesRow {
                dataset: self.dataset.summary.name.clone(),
                function: function.to_owned(),
                bits_per_key: near.bits_per_key,
                keys: near.keys as u64,
                sizes: near.counts.len() as u64,
                probes,
                false_positives,
                rate: false_positives as f64 / probes as f64,
                lowest_rate: rates.clone().fold(f64::INFINITY, f64::min),
                highest_rate: rates.fold(0.0, f64::max),
                compared: near.compared.map(|sum| significant::round(sum / hashes as f64)),
            }
        };
        all.iter().map(row).collect()
    }
}

/// Returns `keys` and the next smaller numbers, as many as are measured.
fn neighbours(keys: usize) -> impl ExactSizeIterator<Item = usize> {
    let affordable = NEIGHBOURS_KEYS / keys.max(1);
    let count = affordable
        .clamp(MIN_NEIGHBOURS, MAX_NEIGHBOURS)
        .min(keys / 16 + 1);
    (0..count).map(move |fewer| keys - fewer)
}

/// The values of the keys in a filter, and of those that probe it.
type Fold<'v, H> = (&'v [H], &'v [H]);

/// Returns the low 32 bits, which LevelDB's filter takes.
fn low(values: &[Vec<u64>; 2]) -> [Vec<u32>; 2] {
    let low = |values: &Vec<u64>| values.iter().map(|&value| value as u32).collect();
    values.each_ref().map(low)
}

fn level_db(bits_per_key: u32) -> BloomFilterPolicy<Murmur2> {
    BloomFilterPolicy::new(BitsPerKey::whole(bits_per_key))
}

/// Counts in filters of one or more numbers of keys, and a table of the largest number.
struct Near {
    bits_per_key: u32,
    keys: usize,
    /// Probes with absent keys, and the false positives among them, by number of keys.
    counts: Vec<[u64; 2]>,
    /// Counts the same in the largest filter, which all absent keys probe.
    all: [u64; 2],
    /// Keys compared per key found, summed over hashes; none if they were not counted.
    compared: Option<f64>,
}

impl Near {
    /// Builds filters of the first keys of each fold, for each number of keys, the largest first, and probes each with
    /// at most `most` absent keys; the largest also with all.
    fn of<F: Format>(
        policy: &Policy<F>,
        bits_per_key: u32,
        numbers: impl IntoIterator<Item = usize>,
        most: usize,
        folds: &[Fold<'_, F::Hash>],
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        // The values are of any function. The policy takes them for those of its own, which has as many bits.
        let function = policy.format().hash_function();
        let (mut largest, mut all, mut counts) = (0, [0; 2], Vec::new());
        for keys in numbers {
            let is_largest = counts.is_empty();
            let mut sum = [0; 2];
            for (built, absent) in folds {
                go_on(progress)?;
                let len = policy.max_filter_len(keys);
                let mut room = vec![0; len.expect("fewer bytes than the values take")];
                let filter = policy
                    .create_from_hashes(KeyHashes::new(function, &built[..keys]), &mut room)
                    .expect("there is room for the filter");
                let count = |absent: &[F::Hash]| [absent.len() as u64, matches(policy, &filter, absent)];
                if is_largest {
                    (largest, all) = (keys, added([all, count(absent)]));
                }
                sum = added([sum, count(&absent[..absent.len().min(most)])]);
            }
            counts.push(sum);
        }
        Ok(Self {
            bits_per_key,
            keys: largest,
            counts,
            all,
            compared: None,
        })
    }

    fn plus(self, other: &Self) -> Self {
        let counts = self.counts.into_iter().zip(&other.counts);
        Self {
            counts: counts.map(|(one, more)| added([one, *more])).collect(),
            all: added([self.all, other.all]),
            compared: self.compared.zip(other.compared).map(|(one, other)| one + other),
            ..self
        }
    }

    /// Returns the sum over the numbers of keys.
    fn sum(&self) -> [u64; 2] {
        added(self.counts.iter().copied())
    }
}

/// Adds probes and false positives.
fn added(counts: impl IntoIterator<Item = [u64; 2]>) -> [u64; 2] {
    let counts = counts.into_iter();
    counts.fold([0; 2], |sum, more| [sum[0] + more[0], sum[1] + more[1]])
}

/// Counts the values that match a filter. The policy's own hash plays no part.
fn matches<F: Format>(policy: &Policy<F>, filter: &[u8], absent: &[F::Hash]) -> u64 {
    let mut words = vec![0; Answers::words_for(absent.len())];
    let mut answers = Answers::new(&mut words);
    let hashes = KeyHashes::new(policy.format().hash_function(), absent);
    policy
        .prepare(filter)
        .may_match_hashes(hashes, &mut answers)
        .expect("there is a word for every 64 values");
    answers.matches()
}

/// Returns the textbook rate of a filter of `filter_bytes` bytes: `(1 - (1 - 1/m)^(kn))^k` with its own m and k.
fn theory(filter_bytes: usize, keys: usize, bits_per_key: u32) -> f64 {
    let bits = 8 * (filter_bytes as u64 - 1);
    let probes = leveldb::probe_count(BitsPerKey::whole(bits_per_key));
    Textbook::with_probe_count(probes)
        .rate(bits, keys as u64)
        .expect("the policy writes 64 bits at least, and one probe")
}

/// Draws ideal hash number `index` of `seed`: SipHash-2-4, whose key is the first 16 bytes of ChaCha8 started from `seed`, in the
/// generator's stream number `index`. LevelDB's filter takes the low 32 of its 64 bits.
fn ideal(seed: u64, index: u64) -> SipHasher24 {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(index);
    SipHasher24::new_with_keys(generator.next_u64(), generator.next_u64())
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
