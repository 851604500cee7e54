//! False positives: each function inside the real filter policy.
//!
//! A filter is built from some keys and probed with others. For generated sets, the keys drawn next are absent. Other
//! sets are split in two by a seeded shuffle, and the filter of each half is probed with the other half.
//!
//! Every function is compared with an ideal hash in the same filter, whose rate must be known better than one filter
//! can tell: its row sums the filters of many hashes with different keys ([`Probes::measure_ideal`]).

#[cfg(test)]
mod tests;

use std::hash::Hasher as _;

use filter_formats::sizing::Textbook;
use filter_policy::{Answers, BitsPerKey, BloomFilterPolicy, FilterPolicy as _, HashedPolicy as _, leveldb};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use siphasher::sip::SipHasher24;

use crate::keys::{Dataset, KeySet, shuffled};
use crate::questions::FalsePositiveRow;
use crate::record::IDEAL;
use crate::values::Hashed;
use records::progress::{Cancelled, Progress, go_on};
use statistics::binomial;

/// Bits per key of the measured filters.
pub const BITS_PER_KEY: [u32; 3] = [10, 15, 20];

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

/// Confidence of the interval in a row.
pub const INTERVAL_LEVEL: f64 = 0.95;

/// The keys of a dataset that go into filters, and the keys that probe the filters.
#[derive(Debug, Clone)]
pub struct Probes<'a> {
    pub(super) dataset: &'a Dataset,
    pub(super) plan: Plan,
}

#[derive(Debug, Clone)]
pub(super) enum Plan {
    /// Filters hold all keys and are probed with these.
    Continued { absent: KeySet },
    /// Indices of two halves of equal size.
    TwoFold { halves: [Vec<u32>; 2] },
    /// Too few keys for a filter and an absent key.
    Nothing,
}

impl<'a> Probes<'a> {
    /// Draws the absent keys of a generated dataset, or splits any other dataset in two.
    ///
    /// If the number of keys is odd, the last in shuffled order is left out, so that both filters have the same size.
    /// Fewer than two keys give no rows.
    pub fn new(dataset: &'a Dataset) -> Self {
        let count = dataset.keys.len();
        let plan = if count < 2 {
            Plan::Nothing
        } else if let Some(recipe) = dataset.recipe {
            Plan::Continued {
                absent: recipe.keys_after(dataset.seed, count, ABSENT),
            }
        } else {
            let mut first = shuffled(count as u32, dataset.seed);
            first.truncate(count / 2 * 2);
            let second = first.split_off(count / 2);
            Plan::TwoFold {
                halves: [first, second],
            }
        };
        Self { dataset, plan }
    }

    /// Returns the values of the keys in a filter and of the keys that probe the filter.
    ///
    /// # Panics
    ///
    /// Panics if `hashed` is not of the keys of the dataset.
    pub fn values(&self, hashed: &Hashed<'_>) -> [Vec<u32>; 2] {
        let values = hashed.values64();
        assert_eq!(values.len(), self.dataset.keys.len(), "values of other keys");
        let hash = |key: &[u8]| hashed.function.compared(key);
        self.first(usize::MAX, |index| values[index] as u32, hash)
    }

    /// Returns the hash values of at most `most` present and `most` absent keys: `of` takes the index of a key in the
    /// dataset, `hash` an absent key.
    fn first(&self, most: usize, of: impl Fn(usize) -> u32, hash: impl Fn(&[u8]) -> u32) -> [Vec<u32>; 2] {
        match &self.plan {
            Plan::Nothing => Default::default(),
            Plan::Continued { absent } => [
                (0..self.dataset.keys.len().min(most)).map(of).collect(),
                absent.iter().take(most).map(hash).collect(),
            ],
            Plan::TwoFold { halves } => halves.each_ref().map(|half| {
                let some = half.iter().take(most);
                some.map(|&index| of(index as usize)).collect()
            }),
        }
    }

    /// Returns at most `most` values of each part for ideal hash number `index`.
    pub(super) fn ideal(&self, index: u64, most: usize) -> [Vec<u32>; 2] {
        let ideal = Ideal::drawn(self.dataset.seed, index);
        let of = |index| ideal.hash(self.dataset.keys.get(index));
        self.first(most, of, |key| ideal.hash(key))
    }

    /// Returns the rows of the function [`IDEAL`], one for each of [`BITS_PER_KEY`]: the rates of this probe scheme
    /// with a hash that has no defect.
    ///
    /// Counts and probes are sums over hashes with different keys, [`Ideal::drawn`] from the dataset's seed:
    /// [`IDEALS_OF_GENERATED`] hashes over a generated set, else enough for [`IDEAL_PROBES`], but at most
    /// [`MAX_IDEALS`], no more than [`IDEAL_BYTES`] allow for long keys, and at least one.
    pub fn measure_ideal(&self, progress: &dyn Progress) -> Result<Vec<FalsePositiveRow>, Cancelled> {
        let counts = (0..self.ideals())
            .into_par_iter()
            .map(|index| self.counts(&self.ideal(index, usize::MAX), progress))
            .try_reduce_with(|one, other| Ok(plus(one, &other)));
        counts.map_or(Ok(Vec::new()), |counts| Ok(self.rows(IDEAL, counts?)))
    }

    /// Returns the number of hashes for the row of the ideal hash.
    pub(super) fn ideals(&self) -> u64 {
        match &self.plan {
            Plan::Nothing => 0,
            Plan::Continued { .. } => IDEALS_OF_GENERATED,
            Plan::TwoFold { halves } => {
                let wanted = IDEAL_PROBES.div_ceil(2 * halves[0].len() as u64);
                let affordable = IDEAL_BYTES / (self.dataset.keys.total_bytes() as u64).max(1);
                wanted.min(MAX_IDEALS).min(affordable.max(1))
            }
        }
    }

    /// Returns the rows of a function with these [`values`](Self::values), one for each of [`BITS_PER_KEY`].
    pub fn rates(
        &self,
        function: &str,
        values: &[Vec<u32>; 2],
        progress: &dyn Progress,
    ) -> Result<Vec<FalsePositiveRow>, Cancelled> {
        Ok(self.rows(function, self.counts(values, progress)?))
    }

    /// Returns the values in each filter over the whole set, or over half of it, and those that probe it.
    pub(super) fn folds<'v>(&self, [first, second]: &'v [Vec<u32>; 2]) -> Vec<Fold<'v>> {
        match &self.plan {
            Plan::Nothing => Vec::new(),
            Plan::Continued { .. } => vec![(first, second)],
            Plan::TwoFold { .. } => vec![(first, second), (second, first)],
        }
    }

    /// Counts at each of [`BITS_PER_KEY`].
    fn counts(&self, values: &[Vec<u32>; 2], progress: &dyn Progress) -> Result<Vec<Count>, Cancelled> {
        let folds = self.folds(values);
        let of = |bits_per_key| {
            // With ten million keys each filter takes a good part of a second.
            go_on(progress)?;
            Ok(count(bits_per_key, folds.iter().copied()))
        };
        BITS_PER_KEY.into_iter().map(of).collect()
    }

    fn rows(&self, function: &str, counts: Vec<Count>) -> Vec<FalsePositiveRow> {
        let all = &self.dataset.keys;
        let (keys, raw_bytes) = match &self.plan {
            Plan::Nothing => return Vec::new(),
            Plan::Continued { .. } => (all.len(), all.total_bytes()),
            Plan::TwoFold { halves: [first, _] } => {
                let bytes = first.iter().map(|&index| all.get(index as usize).len()).sum();
                (first.len(), bytes)
            }
        };
        BITS_PER_KEY
            .into_iter()
            .zip(counts)
            .map(|(bits_per_key, [probes, false_positives])| {
                let filter_bytes = leveldb::filter_len(BitsPerKey::whole(bits_per_key), keys)
                    .expect("a filter takes less room than the values it is built from");
                let (ci_low, ci_high) =
                    binomial::proportion_interval(false_positives, probes, INTERVAL_LEVEL);
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
            })
            .collect()
    }
}

/// The values of the keys in a filter, and of those that probe it.
pub(super) type Fold<'v> = (&'v [u32], &'v [u32]);
/// Probes with absent keys, and the false positives among them.
pub(super) type Count = [u64; 2];

/// Builds a filter from the first part of each fold, probes it with the second, and sums the counts.
pub(super) fn count<'v>(bits_per_key: u32, folds: impl Iterator<Item = Fold<'v>>) -> Count {
    let counts = folds.map(|(built, asked)| [asked.len() as u64, matches(bits_per_key, built, asked)]);
    counts.fold([0; 2], |sum, more| [sum[0] + more[0], sum[1] + more[1]])
}

/// Adds counts of the same filters.
pub(super) fn plus(mut counts: Vec<Count>, more: &[Count]) -> Vec<Count> {
    for (sum, more) in counts.iter_mut().zip(more) {
        *sum = [sum[0] + more[0], sum[1] + more[1]];
    }
    counts
}

/// Counts the values of `asked` that match a filter over `built`. The policy's own hash plays no part.
fn matches(bits_per_key: u32, built: &[u32], asked: &[u32]) -> u64 {
    let policy = BloomFilterPolicy::new(BitsPerKey::whole(bits_per_key));
    let (mut filter, mut words) = (Vec::new(), vec![0; Answers::words_for(asked.len())]);
    policy
        .append_raw_hashes(built.iter().copied(), &mut filter)
        .expect("a filter takes less room than the values it is built from");
    let prepared = policy.prepare(&filter);
    let mut answers = Answers::new(&mut words);
    prepared
        .may_match_raw_hashes(asked, &mut answers)
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

/// An ideal hash: SipHash-2-4 under a key drawn from the seed, its 64 bits cut to the low 32.
#[derive(Debug, Clone, Copy)]
pub struct Ideal {
    keyed: SipHasher24,
}

impl Ideal {
    /// Draws hash number `index` of `seed`: its key is the first 16 bytes of ChaCha8 started from `seed`, in the
    /// generator's stream number `index`.
    pub fn drawn(seed: u64, index: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(index);
        let keyed = SipHasher24::new_with_keys(generator.next_u64(), generator.next_u64());
        Self { keyed }
    }

    /// Returns the value of `key`.
    pub fn hash(&self, key: &[u8]) -> u32 {
        self.wide(key) as u32
    }

    /// Returns all 64 bits; [`hash`](Self::hash) is the low half.
    pub fn wide(&self, key: &[u8]) -> u64 {
        let mut hasher = self.keyed;
        hasher.write(key);
        hasher.finish()
    }
}
